import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, of, textOf } from '../../api.ts'
import { rangeKey, spanOf, TimeRange } from '../../forms/time-range.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { replay, type Webhook } from '../../parts/webhooks.ts'
import { query, setQuery, to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import { AttemptList, StateBadge } from '../message/deliveries.tsx'

export interface DeliveryListProps {
  webhook: Webhook
  session: string
  /** Read again when it changes. */
  round: number
}

type State = 'pending' | 'done' | 'dead'
type Row = Awaited<ReturnType<typeof readPage>>['Deliveries'][number]

const STATES = ['', 'pending', 'done', 'dead'] as const
const PAGE = 50

/** Deliveries to one webhook, newest first, a page at a time. */
export function DeliveryList({ webhook, session, round }: DeliveryListProps) {
  const state = STATES.find((one) => one === query.value.get('state')) ?? ''
  const before = query.value.get('before') ?? ''
  const page = useLoad(() => readPage(webhook, session, state, before), [state, before, rangeKey()])
  const opened = useSignal<Row | undefined>(undefined)
  const outcome = useSignal<{ text: string; isBad: boolean } | undefined>(undefined)

  useEffect(() => {
    if (round > 0 && !before) void page.reload()
  }, [round])

  async function resend({ Id }: Row): Promise<void> {
    try {
      const count = await replay(webhook, session, { Id })
      outcome.value = { text: t('deliveries.replayed', { count }), isBad: false }
    } catch (failure) {
      outcome.value = { text: textOf(failure), isBad: true }
    }
    await page.reload()
  }

  const isFiltered = state !== '' || rangeKey().trim() !== ''
  const columns = [
    {
      title: t('deliveries.event'),
      cell: (row: Row) => <a href={to(`/events?event=${row.Id}`)}>{row.Type}</a>,
    },
    { title: t('deliveries.state'), cell: ({ State }: Row) => <StateBadge state={State} /> },
    { title: t('deliveries.attempts'), isNumber: true, cell: ({ Attempts }: Row) => numberOf(Attempts) },
    { title: t('deliveries.last'), cell: ({ Last }: Row) => (/^\d+$/.test(Last) ? `status ${Last}` : Last) },
    {
      title: t('deliveries.latency'),
      isNumber: true,
      cell: ({ Milliseconds: ms }: Row) => (ms === undefined ? '' : `${numberOf(ms)} ms`),
    },
    {
      title: t('deliveries.when'),
      cell: ({ State, NextAt, At, Timestamp }: Row) =>
        State === 'pending' && NextAt ? (
          <>
            {t('deliveries.retry')} <Moment at={NextAt} />
          </>
        ) : (
          <Moment at={At || Timestamp} />
        ),
    },
    {
      title: t('deliveries.actions'),
      cell: (row: Row) => (
        <span class="delivery-actions">
          <Button kind="quiet" onPress={() => (opened.value = row)}>
            {t('deliveries.showAttempts')}
          </Button>
          <Button kind="quiet" onPress={() => resend(row)}>
            {t(row.State === 'pending' ? 'deliveries.retryNow' : 'deliveries.replayTitle')}
          </Button>
        </span>
      ),
    },
  ]
  return (
    <section class="stack" aria-labelledby="deliveries-list">
      <div class="list-head">
        <h2 id="deliveries-list">{t('deliveries.list')}</h2>
        <Field label={t('deliveries.state')}>
          {(ties) => (
            <select
              {...ties}
              value={state}
              onChange={({ currentTarget }) => setQuery({ state: currentTarget.value, before: '' })}
            >
              {STATES.map((one) => (
                <option key={one} value={one}>
                  {t(`deliveries.state_${one || 'any'}`)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <TimeRange clears={['before']} />
      </div>
      {outcome.value ? (
        <Notice kind={outcome.value.isBad ? 'bad' : 'good'}>{outcome.value.text}</Notice>
      ) : null}
      <Loading of={page}>
        {({ Deliveries, Next }) => (
          <>
            {Deliveries.length === 0 ? (
              <Empty>{t(isFiltered ? 'deliveries.noneFits' : 'deliveries.noneListed')}</Empty>
            ) : (
              <Table
                label={t('deliveries.list')}
                columns={columns}
                rows={Deliveries}
                keyOf={({ Seq }) => Seq}
              />
            )}
            <div class="actions">
              {before ? (
                <Button onPress={() => setQuery({ before: '' })}>{t('deliveries.newest')}</Button>
              ) : null}
              {Deliveries.length === PAGE ? (
                <Button onPress={() => setQuery({ before: String(Next) })}>{t('inspector.older')}</Button>
              ) : null}
            </div>
          </>
        )}
      </Loading>
      <Dialog
        title={t('deliveries.attemptsOf')}
        isOpen={opened.value !== undefined}
        onClose={() => (opened.value = undefined)}
      >
        {opened.value ? <Attempts webhook={webhook} session={session} row={opened.value} /> : null}
      </Dialog>
    </section>
  )
}

function Attempts({ webhook, session, row }: { webhook: Webhook; session: string; row: Row }) {
  const attempts = useLoad(async () => {
    const asked = { Id: row.Id, Endpoint: webhook.id }
    return webhook.isGlobal
      ? (await api.get('/webhook/global/attempts', asked)).Attempts
      : (await api.get('/webhook/attempts', asked, of(session))).Attempts
  }, [row.Id])
  return (
    <div class="stack">
      <div class="row">
        <StateBadge state={row.State} /> <code>{row.Id}</code>
      </div>
      <Loading of={attempts}>{(all) => <AttemptList attempts={all} />}</Loading>
    </div>
  )
}

function readPage({ id, isGlobal }: Webhook, session: string, state: State | '', before: string) {
  const { since, until } = spanOf()
  const asked = {
    Order: 'newest' as const,
    Limit: String(PAGE),
    Endpoint: id,
    ...(state ? { State: state } : {}),
    ...(before ? { After: before } : {}),
    ...(since ? { Since: since } : {}),
    ...(until ? { Until: until } : {}),
  }
  return isGlobal
    ? api.get('/webhook/global/deliveries', asked)
    : api.get('/webhook/deliveries', asked, of(session))
}
