import { useSignal } from '@preact/signals'
import { api, of } from '../../api.ts'
import { fitting } from '../../forms/fitting.ts'
import { SearchField } from '../../forms/search-field.tsx'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { to } from '../../shell/navigate.ts'
import { numberOf, t, timeOf } from '../../text.ts'
import { sorted } from '../fleet/arrange.ts'
import { type Summary, titleOf } from '../fleet/summary.ts'
import { Unknown } from './unknown.tsx'

/** Rows at once. */
const MOST = 20

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
            {Sessions.length === 0 ? <Empty>{t('health.noSession')}</Empty> : <Limits sessions={Sessions} />}
          </>
        )}
      </Loading>
    </section>
  )
}

/** Those with limits or waiting messages first; the others are found by name. */
function Limits({ sessions }: { sessions: readonly Summary[] }) {
  const search = useSignal('')
  const fits = fitting(search.value)
  const found = sorted(sessions, undefined)
    .filter((session) => fits([titleOf(session)], [session.JID]))
    .sort((a, b) => Number(isLimited(b)) - Number(isLimited(a)))
  return (
    <>
      {sessions.length > MOST ? (
        <SearchField
          label={t('health.search')}
          value={search.value}
          onInput={(text) => (search.value = text)}
        />
      ) : null}
      {found.length === 0 ? <Empty>{t('shell.noneFits')}</Empty> : null}
      {found.length > 0 ? (
        <Table
          label={t('health.sessions')}
          rows={found.slice(0, MOST)}
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
      ) : null}
      {found.length > MOST ? <p class="hint">{t('shell.moreFit', { count: found.length - MOST })}</p> : null}
    </>
  )
}

const isLimited = ({ Outbox, RestrictedUntil }: Summary): boolean => Outbox > 0 || RestrictedUntil !== ''

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
