import { useSignal } from '@preact/signals'
import { api, of } from '../../api.ts'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { to } from '../../shell/navigate.ts'
import { numberOf, t, timeOf } from '../../text.ts'
import { titleOf } from '../fleet/summary.ts'
import { Unknown } from './unknown.tsx'

/** The limits of WhatsApp and of the gateway's pacing per session, and the waiting messages. */
export function SessionLimits() {
  const sessions = useLoad(() => api.get('/session/summary'))
  return (
    <section class="stack" aria-labelledby="sessions">
      <h2 id="sessions">{t('health.sessions')}</h2>
      <Loading of={sessions}>
        {({ Sessions, Unanswered }) => (
          <>
            <Unknown nodes={Unanswered} />
            {Sessions.length === 0 ? (
              <Empty>{t('health.noSession')}</Empty>
            ) : (
              <Table
                label={t('health.sessions')}
                rows={Sessions}
                keyOf={({ Id }) => Id}
                columns={[
                  {
                    title: t('health.session'),
                    cell: (session) => (
                      <a href={to(`/sessions/${encodeURIComponent(session.Id)}`)}>{titleOf(session)}</a>
                    ),
                  },
                  { title: t('health.queued'), isNumber: true, cell: ({ Outbox }) => numberOf(Outbox) },
                  {
                    title: t('health.held'),
                    cell: ({ RestrictedUntil }) => (RestrictedUntil ? <Ago at={RestrictedUntil} /> : '–'),
                  },
                  {
                    title: t('health.newChats'),
                    cell: ({ Id, LoggedIn }) => (LoggedIn ? <NewChats id={Id} /> : '–'),
                  },
                ]}
              />
            )}
          </>
        )}
      </Loading>
    </section>
  )
}

/** On request, because it is a query to WhatsApp per session. */
function NewChats({ id }: { id: string }) {
  const isAsked = useSignal(false)
  if (isAsked.value) return <Answer id={id} />
  return <Button onPress={() => (isAsked.value = true)}>{t('health.ask')}</Button>
}

function Answer({ id }: { id: string }) {
  const limits = useLoad(() => api.get('/user/limits', undefined, of(id)), [id])
  return (
    <Loading of={limits}>
      {({ MessageCap: cap, ReachoutTimelock: lock }) => (
        <span role="status">
          {cap && cap.TotalQuota > 0
            ? t('health.cap', {
                used: cap.UsedQuota,
                total: cap.TotalQuota,
                until: timeOf(cap.CycleEndTimestamp ?? ''),
              })
            : t('health.noCap')}{' '}
          {lock?.IsActive ? t('health.locked', { until: timeOf(lock.TimeEnforcementEnds ?? '') }) : ''}
        </span>
      )}
    </Loading>
  )
}
