import { t } from '../../text.ts'

export interface Recent {
  readonly Seq: number
  readonly State: string
  readonly Attempts: number
}

/** The last deliveries as a bar, the newest on the right; the same in words for screen readers. */
export function Bar({ recent }: { recent: readonly Recent[] }) {
  const done = recent.filter(({ State }) => State === 'done').length
  const label = recent.length > 0 ? t('deliveries.bar', { done, of: recent.length }) : t('deliveries.barNone')
  return (
    <div class="stack-tight">
      <div class="success-bar" role="img" aria-label={label}>
        {[...recent].reverse().map(({ Seq, State, Attempts }) => (
          <span key={Seq} class={`success-${State === 'done' && Attempts > 1 ? 'late' : State}`} />
        ))}
      </div>
      <span class="hint">{label}</span>
    </div>
  )
}
