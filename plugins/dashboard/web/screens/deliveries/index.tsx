import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, of } from '../../api.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { isAdmin, SessionSelect, useSessions } from '../../parts/sessions.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { readWebhooks, type Webhook } from '../../parts/webhooks.ts'
import { query, setQuery, to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { AddWebhook } from './add.tsx'
import './deliveries.css'
import '../message/message.css'
import { EndpointCard, type Health } from './endpoint.tsx'
import { DeliveryList } from './list.tsx'

const POLL_MS = 3_000

export interface Watched {
  readonly webhook: Webhook
  readonly health: Health | undefined
}

/** Webhooks, the state of their deliveries, and each delivery. */
export default function Deliveries() {
  const sessions = useSessions()
  const all = sessions.data.value
  const session = query.value.get('session') ?? (isAdmin() ? '' : (all?.[0]?.id ?? ''))
  const webhooks = useLoad(() => read(session), [session])
  const round = useSignal(0)

  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden || document.querySelector('dialog[open]')) return
      round.value += 1
      void webhooks.reload()
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [])

  return (
    <Page title={t('deliveries.title')} lead={t('deliveries.lead')}>
      <div class="stack">
        {isAdmin() || (all?.length ?? 0) > 1 ? (
          <div class="session-choice">
            <SessionSelect
              label={t('inspector.session')}
              sessions={all ?? []}
              value={session}
              onSelect={(id) => setQuery({ session: id, endpoint: '', state: '' })}
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
                        href={hrefOf(session, one.webhook)}
                        isChosen={one === chosen}
                        onChange={webhooks.reload}
                      />
                    ))}
                  </ul>
                )}
                <AddWebhook
                  session={session}
                  hasMain={watched.some(({ webhook }) => webhook.id === 'main')}
                  onChange={webhooks.reload}
                />
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
    </Page>
  )
}

async function read(session: string): Promise<Watched[]> {
  const webhooks = (await readWebhooks(session)).filter(({ isGlobal }) => isGlobal === (session === ''))
  if (webhooks.length === 0) return []
  const { Endpoints } = session
    ? await api.get('/webhook/health', undefined, of(session))
    : await api.get('/webhook/global/health')
  return webhooks.map((webhook) => ({ webhook, health: Endpoints.find(({ Id }) => Id === webhook.id) }))
}

function chosenOf(watched: readonly Watched[]): Watched | undefined {
  const named = query.value.get('endpoint')
  return watched.find(({ webhook }) => webhook.id === named) ?? watched[0]
}

function hrefOf(session: string, { id }: Webhook): string {
  return to(`/deliveries?${new URLSearchParams({ ...(session ? { session } : {}), endpoint: id })}`)
}
