import { useSignal } from '@preact/signals'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { DataLink } from '../../parts/link.tsx'
import { withNames } from '../../parts/people.ts'
import { ReplayDialog } from '../../parts/replay.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { setQuery, to } from '../../shell/navigate.ts'
import { t, timeOf } from '../../text.ts'
import { type EventFields, type EventRow, factsOf } from './event-row.ts'
import { toneOf } from './tone.ts'

/** One event, readable and as JSON, with its actions. */
export function EventDetail({ row, view }: { row: EventRow; view: string }) {
  const isReplaying = useSignal(false)
  const event = JSON.parse(row.json) as EventFields
  const tabs = [
    { name: 'readable', title: t('inspector.readable') },
    { name: 'json', title: 'JSON' },
  ]
  return (
    <section class="card stack events-detail" aria-labelledby="event-title">
      <div class="row">
        <h2 id="event-title">
          <Badge tone={toneOf(row.type)}>{row.type}</Badge> {timeOf(row.time)}
        </h2>
        <Button kind="quiet" label={t('inspector.closeEvent')} onPress={() => setQuery({ event: '' })}>
          ✕
        </Button>
      </div>
      <div class="actions">
        {row.message ? (
          <a class="button button-primary" href={timelineOf(row)}>
            {t('inspector.timeline')}
          </a>
        ) : null}
        <Button onPress={() => (isReplaying.value = true)}>{t('inspector.replay')}</Button>
        <a class="button" href={to(`/sessions/${encodeURIComponent(row.session)}`)}>
          {row.sessionName || t('inspector.session')}
        </a>
      </div>
      <Copy text={row.id} />
      <Tabs
        label={t('inspector.views')}
        tabs={tabs}
        selected={view === 'json' ? 'json' : 'readable'}
        onSelect={(name) => setQuery({ view: name === 'json' ? 'json' : '' })}
      >
        {view === 'json' ? (
          <JsonView value={event} />
        ) : (
          <dl class="facts">
            {factsOf(event).map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>
                  {/^https?:/.test(value) ? (
                    <DataLink href={value} />
                  ) : (
                    <Value session={row.session} text={value} />
                  )}
                </dd>
              </>
            ))}
          </dl>
        )}
      </Tabs>
      <ReplayDialog
        isOpen={isReplaying.value}
        onClose={() => (isReplaying.value = false)}
        session={row.session}
        event={{ id: row.id, seq: row.seq }}
      />
    </section>
  )
}

/** Who is meant by an id stands beside it: in the details both are wanted. */
function Value({ session, text }: { session: string; text: string }) {
  const named = withNames(session, text)
  return (
    <>
      {text}
      {named === text ? null : <span class="muted"> {named}</span>}
    </>
  )
}

function timelineOf({ session, message }: EventRow): string {
  return to(`/messages/${encodeURIComponent(session)}/${encodeURIComponent(message)}`)
}
