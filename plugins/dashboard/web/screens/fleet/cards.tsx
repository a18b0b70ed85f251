import { useSignal } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import { SessionCard } from './card.tsx'
import type { Summary } from './summary.ts'

/** Cards added at once: those of hundreds of sessions would make each change slow. */
const PAGE = 30

/** A card for each session, with its next step and its last 24 hours. */
export function SessionCards({ sessions }: { sessions: readonly Summary[] }) {
  const shown = useSignal(PAGE)
  return (
    <>
      <ul class="fleet">
        {sessions.slice(0, shown.value).map((session) => (
          <SessionCard key={session.Id} session={session} />
        ))}
      </ul>
      {sessions.length > shown.value ? (
        <p class="fleet-more">
          <Button onPress={() => (shown.value += PAGE)}>
            {t('fleet.more', { count: sessions.length - shown.value })}
          </Button>
        </p>
      ) : null}
    </>
  )
}
