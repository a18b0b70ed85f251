import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, of } from '../../api.ts'
import { follow, type Live } from '../../live.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { LiveState } from '../../parts/live-state.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { withNames } from '../../parts/people.ts'
import { ReplayDialog } from '../../parts/replay.tsx'
import { isAdmin } from '../../parts/sessions.ts'
import { useLoad } from '../../parts/use-load.ts'
import { to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { toEventRow } from '../inspector/event-row.ts'
import type { ScreenProps } from '../screen-props.ts'
import { DeliverySteps } from './deliveries.tsx'
import './message.css'
import { Steps } from './steps.tsx'

const POLL_MS = 1_500

/** The timeline of one message, step by step, updated live. */
export default function Message({ params }: ScreenProps) {
  const { session = '', id = '' } = params
  const live = useSignal<Live | undefined>(undefined)
  const isReplaying = useSignal(false)
  const loaded = useLoad(() => readTimeline(session, id), [session, id])
  const isPending = loaded.data.value?.deliveries.some(({ State }) => State === 'pending') ?? false

  useEffect(() => {
    const path = `/events/stream?id=${encodeURIComponent(id)}`
    live.value = follow(path, () => void loaded.reload(), { session })
    return () => live.value?.close()
  }, [session, id])

  // Attempts are not events.
  useEffect(() => {
    if (!isPending) return
    const timer = setInterval(() => void loaded.reload(), POLL_MS)
    return () => clearInterval(timer)
  }, [isPending])

  return (
    <Page title={t('message.title')} lead={<Copy text={id} />} actions={<LiveState live={live.value} />}>
      <Loading of={loaded}>
        {({ timeline, deliveries }) => (
          <div class="stack">
            <div class="row">
              <Badge tone={timeline.IsFromMe ? 'info' : 'good'}>
                {t(timeline.IsFromMe ? 'message.sent' : 'message.received')}
              </Badge>
              <a href={to(`/sessions/${encodeURIComponent(session)}`)}>
                {(timeline.Event && toEventRow(timeline.Event).sessionName) || session}
              </a>
              <span class="muted">{timeline.IsFromMe ? '→' : '←'}</span>
              <span title={timeline.Chat}>{withNames(session, timeline.Chat)}</span>
              {timeline.Event ? (
                <>
                  <a
                    class="button"
                    href={to(`/events?event=${timeline.Event.eventId}&id=${encodeURIComponent(id)}`)}
                  >
                    {t('message.events')}
                  </a>
                  <Button onPress={() => (isReplaying.value = true)}>{t('inspector.replay')}</Button>
                </>
              ) : null}
            </div>
            {timeline.Event ? (
              <p class="message-text">{withNames(session, toEventRow(timeline.Event).text)}</p>
            ) : null}
            <div class="message-columns">
              <section class="card stack" aria-labelledby="message-steps">
                <h2 id="message-steps">{t('message.timeline')}</h2>
                <Steps steps={timeline.Steps} session={session} />
                {timeline.IsTruncated ? <p class="hint">{t('message.truncated')}</p> : null}
              </section>
              <section class="card stack" aria-labelledby="message-deliveries">
                <h2 id="message-deliveries">{t('message.deliveries')}</h2>
                <DeliverySteps deliveries={deliveries} />
              </section>
            </div>
            {timeline.Event ? (
              <details class="card">
                <summary>{t('message.event')}</summary>
                <JsonView value={timeline.Event} />
              </details>
            ) : null}
            {timeline.Event ? (
              <ReplayDialog
                isOpen={isReplaying.value}
                onClose={() => {
                  isReplaying.value = false
                  void loaded.reload()
                }}
                session={session}
                event={{ id: timeline.Event.eventId, seq: timeline.Event.seq }}
              />
            ) : null}
          </div>
        )}
      </Loading>
    </Page>
  )
}

/** Includes the attempts of the webhooks of all sessions, which the session itself may not see. */
async function readTimeline(session: string, id: string) {
  const timeline = await api.get('/message/timeline', { Id: id }, of(session))
  const deliveries = [...timeline.Deliveries]
  if (!isAdmin() || !timeline.Event) return { timeline, deliveries }
  const { Endpoints } = await api.get('/webhook/global')
  if (Endpoints.length === 0) return { timeline, deliveries }
  const { Attempts } = await api.get('/webhook/global/attempts', { Id: timeline.Event.eventId })
  for (const { Id, URL } of Endpoints) {
    const own = Attempts.filter(({ Endpoint }) => Endpoint === Id)
    if (own.length === 0) continue
    const State = own.at(-1)?.Accepted ? 'done' : 'pending'
    deliveries.push({ Endpoint: Id, URL, State, NextAt: '', Attempts: own })
  }
  return { timeline, deliveries }
}
