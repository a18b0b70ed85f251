import { api, of } from '../../api.ts'
import { Ago } from '../../parts/ago.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { numberOf, t, textFor } from '../../text.ts'
import { stateText, toneOf } from '../fleet/summary.ts'

interface Change {
  readonly At: string
  readonly From: string
  readonly To: string
  /** How the link ended; '' for any other change. */
  readonly Cause: string
  readonly Reason: string
}

/** The last state changes, and why links ended. Reloaded when the state has changed. */
export function History({ id, state }: { id: string; state: string }) {
  const history = useLoad(() => api.get('/session/history', undefined, of(id)), [id, state])
  return (
    <>
      <Closes changes={history.data.value?.Changes ?? []} />
      <section class="stack" aria-labelledby="history">
        <h2 id="history">{t('session.history')}</h2>
        <Loading of={history}>{({ Changes }) => <Changed changes={Changes} />}</Loading>
      </section>
    </>
  )
}

function Changed({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <Empty>{t('session.noHistory')}</Empty>
  return (
    <Table
      label={t('session.history')}
      rows={changes.map((change, at) => ({ ...change, at }))}
      keyOf={(row) => row.at}
      columns={[
        { title: t('session.when'), cell: (row) => <Ago at={row.At} /> },
        { title: t('session.from'), cell: (row) => stateText(row.From) },
        { title: t('session.to'), cell: (row) => <Badge tone={toneOf(row.To)}>{stateText(row.To)}</Badge> },
        { title: t('session.reason'), cell: (row) => row.Reason },
      ]}
    />
  )
}

interface Close {
  readonly cause: string
  readonly count: number
  /** The newest. */
  readonly at: string
  readonly reason: string
}

function Closes({ changes }: { changes: readonly Change[] }) {
  const closes = closesOf(changes)
  if (closes.length === 0) return null
  return (
    <section class="stack" aria-labelledby="closes">
      <h2 id="closes">{t('session.closes')}</h2>
      <Table
        label={t('session.closes')}
        rows={closes}
        keyOf={({ cause }) => cause}
        columns={[
          { title: t('session.cause'), cell: ({ cause }) => textFor('session', `cause_${cause}`) ?? cause },
          { title: t('session.times'), isNumber: true, cell: ({ count }) => numberOf(count) },
          { title: t('session.last'), cell: ({ at }) => <Ago at={at} /> },
          { title: t('session.reason'), cell: ({ reason }) => reason },
        ]}
      />
    </section>
  )
}

/** By cause, the newest first, like the changes. */
function closesOf(changes: readonly Change[]): Close[] {
  const found = new Map<string, Close>()
  for (const { At, Cause, Reason } of changes) {
    if (!Cause) continue
    const known = found.get(Cause) ?? { cause: Cause, count: 0, at: At, reason: Reason }
    found.set(Cause, { ...known, count: known.count + 1 })
  }
  return [...found.values()]
}
