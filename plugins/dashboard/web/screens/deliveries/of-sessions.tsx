import { useEffect } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { query, setQuery, to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import { conditionOf } from './condition.ts'
import { placeOf } from './place.ts'

const PAGE = 25

type Row = Awaited<ReturnType<typeof readPage>>['Webhooks'][number]

/** The webhooks of the sessions, failing ones first, a page at a time. */
export function WebhooksOfSessions({ round }: { round: number }) {
  const from = Number(query.value.get('from')) || 0
  const page = useLoad(() => readPage(from), [from])
  useEffect(() => {
    if (round > 0) void page.reload()
  }, [round])
  const columns = [
    {
      title: t('inspector.session'),
      cell: ({ Session, Name, Id }: Row) => (
        <a href={to(`/deliveries?${placeOf(Session, Id)}`)}>{Name || Session}</a>
      ),
    },
    { title: t('deliveries.url'), cell: ({ URL }: Row) => <span class="endpoint-url">{URL}</span> },
    { title: t('deliveries.state'), cell: (row: Row) => <State row={row} /> },
    { title: t('deliveries.pending'), isNumber: true, cell: ({ Pending }: Row) => numberOf(Pending) },
    { title: t('deliveries.dead'), isNumber: true, cell: ({ Dead }: Row) => numberOf(Dead) },
  ]
  return (
    <section class="stack" aria-labelledby="webhooks-of-sessions">
      <h2 id="webhooks-of-sessions">{t('deliveries.ofSessions')}</h2>
      <Loading of={page}>
        {({ Webhooks, Total, Failing, Next }) =>
          Total === 0 ? (
            <Empty>{t('deliveries.noneOfSessions')}</Empty>
          ) : (
            <>
              <p class="muted">{t('deliveries.countOf', { count: Total, failing: numberOf(Failing) })}</p>
              <Table
                label={t('deliveries.ofSessions')}
                columns={columns}
                rows={Webhooks}
                keyOf={({ Session, Id }) => `${Session} ${Id}`}
              />
              <div class="actions">
                {from > 0 ? (
                  <Button onPress={() => turnTo(from - PAGE)}>{t('deliveries.previousPage')}</Button>
                ) : null}
                {Next < Total ? (
                  <Button onPress={() => turnTo(Next)}>{t('deliveries.nextPage')}</Button>
                ) : null}
              </div>
            </>
          )
        }
      </Loading>
    </section>
  )
}

function State({ row: { State: state, FailingSince } }: { row: Row }) {
  const { tone, text } = conditionOf({ state, failingSince: FailingSince }, undefined)
  return <Badge tone={tone}>{text}</Badge>
}

function turnTo(from: number): void {
  setQuery({ from: from > 0 ? String(from) : '' })
}

function readPage(from: number) {
  return api.get('/webhook/sessions', { Limit: String(PAGE), ...(from > 0 ? { After: String(from) } : {}) })
}
