import '../fleet/fleet.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { login, may, offers } from '../../api.ts'
import { Ago } from '../../parts/ago.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { phoneIn } from '../../parts/person.ts'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { go, to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import { conditionOf } from '../deliveries/condition.ts'
import { readWatched } from '../deliveries/watched.ts'
import { DayBar, DayLegend } from '../fleet/day-bar.tsx'
import { openFleet } from '../fleet/fleet.ts'
import { isToLink, nextText, type Summary, stateText, titleOf, toneOf } from '../fleet/summary.ts'
import { isFor, readKeys, toKeySession } from '../keys/key.ts'
import type { ScreenProps } from '../screen-props.ts'
import { SessionActions } from './actions.tsx'
import { History } from './history.tsx'
import { Manage } from './manage.tsx'
import { Requests } from './requests.tsx'
import { StorageUse } from './storage.tsx'
import { TestMessage } from './test-message.tsx'

export default function SessionScreen({ params }: ScreenProps) {
  const { id = '' } = params
  const fleet = useMemo(openFleet, [])
  useEffect(() => () => fleet.close(), [fleet])
  const { sessions, error } = fleet
  const stillLinked = useSignal('')
  if (stillLinked.value)
    return (
      <Page title={t('session.deleted')}>
        <div class="stack">
          <Notice kind="warn">{stillLinked.value}</Notice>
          <a href={to('/')}>{t('fleet.title')}</a>
        </div>
      </Page>
    )
  const session = sessions.value?.get(id)
  if (!session)
    return (
      <Page title={t('session.title')}>
        {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
        {!error.value && !sessions.value ? <p class="loading">{t('shell.loading')}</p> : null}
        {sessions.value ? (
          <Empty action={<a href={to('/')}>{t('fleet.title')}</a>}>{t('session.gone')}</Empty>
        ) : null}
      </Page>
    )
  function onDeleted(warning: string): void {
    stillLinked.value = warning
    if (!warning) go('/')
  }
  return <Details session={session} fleet={fleet} onDeleted={onDeleted} />
}

interface DetailsProps {
  session: Summary
  fleet: ReturnType<typeof openFleet>
  onDeleted(warning: string): void
}

function Details({ session, fleet, onDeleted }: DetailsProps) {
  const { Id, JID, Name, State } = session
  const isTesting = useSignal(false)
  // No key may read keys.
  const hasKeys = login.value?.Kind !== 'key'
  const all = useLoad(async () => (hasKeys ? (await readKeys()).Keys : []), [Id])
  const own = toKeySession(session)
  const keys = all.data.value?.filter((key) => isFor(key, own)) ?? []
  const mayManage = may('manage')
  return (
    <Page
      title={titleOf(session)}
      lead={Name && JID ? <span class="mono">{phoneIn(JID)}</span> : ''}
      actions={
        <>
          {State === 'open' ? (
            <Button onPress={() => (isTesting.value = true)}>{t('session.test')}</Button>
          ) : null}
          <SessionActions session={session} />
        </>
      }
    >
      <div class="stack">
        {fleet.live.state.value === 'waiting' ? <Notice kind="warn">{t('shell.liveWaiting')}</Notice> : null}
        <div class="session-columns">
          <Now session={session} />
          {mayManage ? (
            <Manage
              session={session}
              keyCount={hasKeys && all.data.value ? keys.length : undefined}
              onRotated={all.reload}
              onChanged={fleet.reload}
              onDeleted={onDeleted}
            />
          ) : null}
        </div>
        <Receivers id={Id} />
        {mayManage && offers('requests') ? <Requests id={Id} keys={keys} /> : null}
        <History id={Id} state={State} />
        <StorageUse id={Id} />
      </div>
      <TestMessage session={session} isOpen={isTesting.value} onClose={() => (isTesting.value = false)} />
    </Page>
  )
}

function Now({ session }: { session: Summary }) {
  const { Id, JID, State, Reason, Since, LastStanza, Outbox, Pending, PendingSince, Day, RestrictedUntil } =
    session
  const next = nextText(session)
  return (
    <section class="card stack" aria-labelledby="now">
      <div class="row">
        <h2 id="now">{t('session.now')}</h2>
        <Badge tone={toneOf(State)}>{stateText(State)}</Badge>
      </div>
      {next ? (
        <p class="session-next">
          {next}{' '}
          {isToLink(session) ? <a href={to(`/link/${encodeURIComponent(Id)}`)}>{t('fleet.link')}</a> : null}
        </p>
      ) : null}
      <DayBar day={Day} />
      <DayLegend />
      <dl class="facts">
        <dt>{t('session.id')}</dt>
        <dd class="mono">{Id}</dd>
        <dt>{t('session.account')}</dt>
        <dd class="mono">{JID || t('session.notLinked')}</dd>
        <dt>{t('fleet.since')}</dt>
        <dd>
          <Ago at={Since} />
        </dd>
        <dt>{t('session.lastStanza')}</dt>
        <dd>
          <Ago at={LastStanza} />
        </dd>
        {Reason ? (
          <>
            <dt>{t('session.reason')}</dt>
            <dd>{Reason}</dd>
          </>
        ) : null}
        <dt>{t('fleet.outbox')}</dt>
        <dd>{numberOf(Outbox)}</dd>
        <dt>{t('fleet.pending')}</dt>
        <dd>
          {numberOf(Pending)}
          {PendingSince ? (
            <span class="muted">
              {` · ${t('fleet.lag')} `}
              <Ago at={PendingSince} />
            </span>
          ) : null}
        </dd>
        {RestrictedUntil ? (
          <>
            <dt>{t('fleet.restricted')}</dt>
            <dd>
              <Ago at={RestrictedUntil} />
            </dd>
          </>
        ) : null}
      </dl>
    </section>
  )
}

function Receivers({ id }: { id: string }) {
  const place = to(`/deliveries?session=${encodeURIComponent(id)}`)
  const webhooks = useLoad(() => readWatched(id), [id])
  return (
    <section class="stack" aria-labelledby="receivers">
      <h2 id="receivers">{t('session.receivers')}</h2>
      <Loading of={webhooks}>
        {(watched) =>
          watched.length === 0 ? (
            <Empty action={<a href={place}>{t('deliveries.add')}</a>}>{t('session.noReceivers')}</Empty>
          ) : (
            <Table
              label={t('session.receivers')}
              rows={watched}
              keyOf={({ webhook }) => webhook.id}
              columns={[
                {
                  title: t('session.address'),
                  cell: ({ webhook }) => (
                    <a href={`${place}&endpoint=${encodeURIComponent(webhook.id)}`} class="mono">
                      {webhook.url}
                    </a>
                  ),
                },
                { title: t('session.classes'), cell: ({ webhook }) => webhook.subscribe.join(', ') },
                {
                  title: t('session.state'),
                  cell: ({ webhook, health }) => {
                    const { tone, text } = conditionOf(webhook, health)
                    return (
                      <>
                        <Badge tone={tone}>{text}</Badge> {webhook.reason}
                      </>
                    )
                  },
                },
              ]}
            />
          )
        }
      </Loading>
    </section>
  )
}
