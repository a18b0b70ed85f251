import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { SessionSelect } from '../../forms/session-select.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { isAdmin, type SessionName } from '../../parts/sessions.ts'
import { useLoad } from '../../parts/use-load.ts'
import { query, setQuery } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { EndpointCard } from './endpoint.tsx'
import { DeliveryList } from './list.tsx'
import { WebhooksOfSessions } from './of-sessions.tsx'
import { readWatched, type Watched } from './watched.ts'

const POLL_MS = 3_000

/** The webhooks of a session ('' for those of all sessions), the state of their deliveries, and each delivery. */
export function Webhooks({ session, sessions }: { session: string; sessions: readonly SessionName[] }) {
  const webhooks = useLoad(() => readWatched(session), [session])
  const round = useSignal(0)

  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden || document.querySelector('dialog[open]')) return
      // Afterwards, so that the deliveries of a webhook that was removed meanwhile are not asked for.
      void webhooks.reload().then(() => {
        round.value += 1
      })
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [])

  return (
    <div class="stack">
      {isAdmin() || sessions.length > 1 ? (
        <div class="session-choice">
          <SessionSelect
            label={t('inspector.session')}
            sessions={sessions}
            value={session}
            onSelect={(id) => setQuery({ session: id, endpoint: '', state: '', before: '', from: '' })}
            {...(isAdmin() ? { all: t('deliveries.global') } : {})}
          />
        </div>
      ) : null}
      <Loading of={webhooks}>
        {(watched) => {
          const chosen = chosenOf(watched)
          return (
            <>
              {watched.length === 0 ? (
                <Empty>{t(session ? 'deliveries.none' : 'deliveries.noneGlobal')}</Empty>
              ) : (
                <ul class="endpoints" aria-label={t('deliveries.webhooks')}>
                  {watched.map((one) => (
                    <EndpointCard
                      key={one.webhook.id}
                      {...one}
                      session={session}
                      isChosen={one === chosen}
                      onChange={webhooks.reload}
                    />
                  ))}
                </ul>
              )}
              {session ? null : <WebhooksOfSessions round={round.value} />}
              {chosen ? (
                <DeliveryList
                  key={`${session} ${chosen.webhook.id}`}
                  webhook={chosen.webhook}
                  session={session}
                  round={round.value}
                />
              ) : null}
            </>
          )
        }}
      </Loading>
    </div>
  )
}

function chosenOf(watched: readonly Watched[]): Watched | undefined {
  const named = query.value.get('endpoint')
  return watched.find(({ webhook }) => webhook.id === named) ?? watched[0]
}
