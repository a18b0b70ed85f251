import { useEffect, useRef } from 'preact/hooks'
import { JsonView } from '../../parts/json-view.tsx'
import { Notice } from '../../parts/notice.tsx'
import { to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'

export interface Result {
  readonly data?: unknown
  readonly error?: string
  readonly ms: number
}

/** The gateway's answer, and a link to the result. */
export function Outcome({ result, session, isSend }: { result: Result; session: string; isSend: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.scrollIntoView({ block: 'nearest' }), [result])
  const { Id } = (result.data ?? {}) as { Id?: unknown }
  return (
    <section class="card stack" aria-labelledby="composer-result">
      <h2 id="composer-result" ref={heading}>
        {t('composer.result')} <span class="muted">{numberOf(Math.round(result.ms))} ms</span>
      </h2>
      {result.error === undefined ? (
        <>
          <Notice kind="good">{t('composer.done')}</Notice>
          {isSend && typeof Id === 'string' ? (
            <a class="button" href={to(`/messages/${encodeURIComponent(session)}/${encodeURIComponent(Id)}`)}>
              {t('inspector.timeline')}
            </a>
          ) : null}
          <JsonView value={result.data} />
        </>
      ) : (
        <Notice kind="bad">{result.error}</Notice>
      )}
    </section>
  )
}
