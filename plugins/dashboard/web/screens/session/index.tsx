import '../fleet/fleet.css'
import { useEffect, useMemo } from 'preact/hooks'
import { api, of, offers } from '../../api.ts'
import { Ago } from '../../parts/ago.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import { DayBar, DayLegend } from '../fleet/day-bar.tsx'
import { openFleet } from '../fleet/fleet.ts'
import { isToLink, nextText, type Summary, stateText, titleOf, toneOf } from '../fleet/summary.ts'
import type { ScreenProps } from '../screen-props.ts'
import { SessionActions } from './actions.tsx'
import { History } from './history.tsx'
import { StorageUse } from './storage.tsx'

export default function SessionScreen({ params }: ScreenProps) {
  const { id = '' } = params
  const fleet = useMemo(openFleet, [])
  useEffect(() => () => fleet.close(), [fleet])
  const { sessions, error } = fleet
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
  return <Details session={session} />
}

function Details({ session }: { session: Summary }) {
  const {
    Id,
    JID,
    State,
    Reason,
    Since,
    LastStanza,
    Outbox,
    Pending,
    PendingSince,
    Labels,
    Day,
    RestrictedUntil,
  } = session
  const next = nextText(session)
  return (
    <Page title={titleOf(session)} actions={<SessionActions session={session} />}>
      <div class="stack">
        <section class="card stack" aria-labelledby="now">
          <div class="row">
            <h2 id="now">{t('session.now')}</h2>
            <Badge tone={toneOf(State)}>{stateText(State)}</Badge>
          </div>
          {next ? (
            <p class="session-next">
              {next}{' '}
              {isToLink(session) ? (
                <a href={to(`/link/${encodeURIComponent(Id)}`)}>{t('fleet.link')}</a>
              ) : null}
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
              {numberOf(Pending)} {PendingSince ? <Ago at={PendingSince} /> : null}
            </dd>
            {RestrictedUntil ? (
              <>
                <dt>{t('fleet.restricted')}</dt>
                <dd>
                  <Ago at={RestrictedUntil} />
                </dd>
              </>
            ) : null}
            {Object.entries(Labels).map(([name, value]) => (
              <LabelRow key={name} name={name} value={value} />
            ))}
          </dl>
        </section>
        <Receivers id={Id} />
        <History id={Id} state={State} />
        <StorageUse id={Id} />
      </div>
    </Page>
  )
}

function LabelRow({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

function Receivers({ id }: { id: string }) {
  const endpoints = useLoad(() => api.get('/webhook/endpoints', undefined, of(id)), [id])
  return (
    <section class="stack" aria-labelledby="receivers">
      <h2 id="receivers">{t('session.receivers')}</h2>
      <Loading of={endpoints}>
        {({ Endpoints }) =>
          Endpoints.length === 0 ? (
            <Empty>{t('session.noReceivers')}</Empty>
          ) : (
            <Table
              label={t('session.receivers')}
              rows={Endpoints}
              keyOf={(row) => row.Id}
              columns={[
                { title: t('session.address'), cell: (row) => <code>{row.URL}</code> },
                { title: t('session.classes'), cell: (row) => row.Subscribe.join(', ') },
                {
                  title: t('session.state'),
                  cell: (row) => (
                    <>
                      <Badge tone={row.State === 'active' ? 'good' : 'bad'}>{row.State}</Badge> {row.Reason}
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Loading>
      <p class="row">
        <a href={to(`/deliveries?session=${encodeURIComponent(id)}`)}>{t('deliveries.title')}</a>
        {offers('settings') ? (
          <a href={to(`/sessions/${encodeURIComponent(id)}/settings`)}>{t('settings.title')}</a>
        ) : null}
      </p>
    </section>
  )
}
