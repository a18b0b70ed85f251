import { api, login } from '../../api.ts'
import { rangeKey, spanOf, TimeRange } from '../../forms/time-range.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useSessions } from '../../parts/sessions.ts'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { query, setQuery, to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'

const PAGE = 200

type Row = Awaited<ReturnType<typeof read>>['Rows'][number]

/** The newest rows; older ones page by page. */
export default function AuditScreen() {
  const before = query.value.get('before') ?? ''
  const search = query.value.get('search') ?? ''
  const audit = useLoad(() => read(before), [before, rangeKey()])
  const names = useNames()
  return (
    <Page title={t('audit.title')} lead={t('audit.lead')}>
      <Loading of={audit}>
        {({ Rows, Chain }) => {
          const rows = Rows.filter((row) => fits(row, search, names))
          const last = Rows.at(-1)
          return (
            <div class="stack">
              {Chain.Whole ? null : (
                <Notice kind="bad">{`${t('audit.broken')} ${Chain.Reason ?? ''}`}</Notice>
              )}
              <div class="list-head">
                <label class="audit-search">
                  <span class="sr-only">{t('audit.search')}</span>
                  <input
                    type="search"
                    placeholder={t('audit.search')}
                    value={search}
                    onInput={({ currentTarget }) => setQuery({ search: currentTarget.value })}
                  />
                </label>
                <TimeRange clears={['before']} />
                {last && Rows.length === PAGE ? (
                  <Button onPress={() => setQuery({ before: String(last.Seq) })}>{t('audit.older')}</Button>
                ) : null}
                {before ? (
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
                    { title: t('audit.time'), cell: ({ Time }) => <Moment at={Time} to="seconds" /> },
                    { title: t('audit.actor'), cell: ({ Actor }) => <Named id={Actor} names={names} /> },
                    { title: t('audit.action'), cell: ({ Action }) => <code class="whole">{Action}</code> },
                    { title: t('audit.target'), cell: ({ Target }) => <Named id={Target} names={names} /> },
                    { title: t('audit.leaves'), cell: ({ Leaves }) => Leaves || '–' },
                    {
                      title: t('audit.result'),
                      cell: ({ Result }) => <Badge tone={Result === 'ok' ? 'good' : 'bad'}>{Result}</Badge>,
                    },
                    {
                      title: t('audit.address'),
                      cell: ({ Address }) => <code class="whole">{Address}</code>,
                    },
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

function read(before: string) {
  return api.get('/server/audit', {
    order: 'newest',
    limit: String(PAGE),
    ...(before ? { before } : {}),
    ...spanOf(),
  })
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

function fits(
  { Actor, Action, Target, Leaves, Result, Address }: Row,
  search: string,
  names: Names,
): boolean {
  const named = [Actor, Target].map((id) => names.sessions.get(id) ?? names.keys.get(id) ?? '')
  const texts = [Actor, Action, Target, Leaves, Result, Address, ...named]
  return texts.join(' ').toLowerCase().includes(search.toLowerCase())
}
