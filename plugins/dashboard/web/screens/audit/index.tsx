import { api, login } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useSessions } from '../../parts/sessions.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { query, setQuery, to } from '../../shell/navigate.ts'
import { t, timeOf } from '../../text.ts'

const PAGE = 200

interface Row {
  readonly Seq: number
  readonly Time: string
  readonly Actor: string
  readonly Address: string
  readonly Action: string
  readonly Target: string
  readonly Result: string
}

interface Audit {
  readonly Rows: readonly Row[]
  readonly Chain: { readonly Whole: boolean; readonly Rows: number; readonly Reason?: string }
}

/** The newest rows; older ones page by page. */
export default function AuditScreen() {
  const before = Number(query.value.get('before') ?? 0)
  const search = query.value.get('search') ?? ''
  const audit = useLoad(() => read(before), [before])
  const names = useNames()
  return (
    <Page title={t('audit.title')} lead={t('audit.lead')}>
      <Loading of={audit}>
        {({ Rows, Chain }) => {
          const rows = Rows.filter((row) => fits(row, search, names)).reverse()
          const first = Rows[0]?.Seq ?? 0
          return (
            <div class="stack">
              {Chain.Whole ? null : (
                <Notice kind="bad">{`${t('audit.broken')} ${Chain.Reason ?? ''}`}</Notice>
              )}
              <div class="row">
                <label>
                  <span class="sr-only">{t('audit.search')}</span>
                  <input
                    type="search"
                    placeholder={t('audit.search')}
                    value={search}
                    onInput={({ currentTarget }) => setQuery({ search: currentTarget.value })}
                  />
                </label>
                {first > 1 ? (
                  <Button onPress={() => setQuery({ before: String(first) })}>{t('audit.older')}</Button>
                ) : null}
                {before > 0 ? (
                  <Button onPress={() => setQuery({ before: '' })}>{t('audit.newest')}</Button>
                ) : null}
              </div>
              {rows.length === 0 ? (
                <Empty>{t('audit.empty')}</Empty>
              ) : (
                <Table
                  label={t('audit.title')}
                  rows={rows}
                  keyOf={({ Seq }) => Seq}
                  columns={[
                    { title: t('audit.time'), cell: ({ Time }) => timeOf(Time) },
                    { title: t('audit.actor'), cell: ({ Actor }) => <Named id={Actor} names={names} /> },
                    { title: t('audit.action'), cell: ({ Action }) => <code>{Action}</code> },
                    { title: t('audit.target'), cell: ({ Target }) => <Named id={Target} names={names} /> },
                    {
                      title: t('audit.result'),
                      cell: ({ Result }) => <Badge tone={Result === 'ok' ? 'good' : 'bad'}>{Result}</Badge>,
                    },
                    { title: t('audit.address'), cell: ({ Address }) => <code>{Address}</code> },
                  ]}
                />
              )}
            </div>
          )
        }}
      </Loading>
    </Page>
  )
}

/** The interface reads forwards: the chain's number of rows tells where the newest page begins. */
async function read(before: number): Promise<Audit> {
  const probe = await api.call<Audit>('get', '/server/audit', { limit: 1 })
  const first = probe.Rows[0]?.Seq ?? 1
  const end = before || first + probe.Chain.Rows
  const after = Math.max(first - 1, end - PAGE - 1)
  const { Rows, Chain } = await api.call<Audit>('get', '/server/audit', { after, limit: PAGE })
  return { Rows: Rows.filter(({ Seq }) => Seq < end), Chain }
}

interface Names {
  readonly sessions: ReadonlyMap<string, string>
  /** By `key:<Id>`, as the log has them. */
  readonly keys: ReadonlyMap<string, string>
}

/** Of what exists now: rows about what was deleted keep its id. */
function useNames(): Names {
  const sessions = useSessions()
  // Keys are listed for no key.
  const keys = useLoad(async () => (login.value?.Kind === 'admin' ? (await api.get('/keys')).Keys : []))
  return {
    sessions: new Map(sessions.data.value?.map(({ id, name }) => [id, name])),
    keys: new Map(keys.data.value?.map(({ Id, Name }) => [`key:${Id}`, Name])),
  }
}

/** The actor or target of a row by its name; its id is the title. */
function Named({ id, names }: { id: string; names: Names }) {
  const session = names.sessions.get(id)
  if (session)
    return (
      <a href={to(`/sessions/${encodeURIComponent(id)}`)} title={id}>
        {session}
      </a>
    )
  const key = names.keys.get(id) ?? names.keys.get(`key:${id}`)
  if (key) return <span title={id}>{t('audit.key', { name: key })}</span>
  return <code>{id || '–'}</code>
}

function fits({ Actor, Action, Target, Result, Address }: Row, search: string, names: Names): boolean {
  const named = [Actor, Target].map((id) => names.sessions.get(id) ?? names.keys.get(id) ?? '')
  const texts = [Actor, Action, Target, Result, Address, ...named]
  return texts.join(' ').toLowerCase().includes(search.toLowerCase())
}
