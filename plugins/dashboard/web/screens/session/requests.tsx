import { useSignal } from '@preact/signals'
import { api, of, offers, ROOT } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t, timeOf } from '../../text.ts'

const PAGE = 10
const DAY_MS = 86_400_000
const RANGES = ['1', '7', '30'] as const
/** An error code; anything else that is typed is a route or the id of a request. */
const CODE = /^[A-Z]+(_[A-Z]+)*$/i

export interface RequestsProps {
  id: string
  keys: readonly { readonly Id: string; readonly Name: string }[]
}

/** The requests to a session that failed, with who made them and why, newest first. */
export function Requests({ id, keys }: RequestsProps) {
  const search = useSignal('')
  const days = useSignal<(typeof RANGES)[number]>('7')
  const before = useSignal(0)
  const wanted = search.value.trim()
  const log = useLoad(
    () =>
      api.get(
        '/session/requests',
        {
          ...filterOf(wanted),
          limit: String(PAGE),
          since: new Date(Date.now() - Number(days.value) * DAY_MS).toISOString(),
          ...(before.value ? { before: String(before.value) } : {}),
        },
        of(id),
      ),
    [id, wanted, days.value, before.value],
  )
  const actorOf = (actor: string): string => {
    if (actor === 'admin') return t('session.byAdmin')
    if (actor === id) return t('session.byToken')
    const key = keys.find((one) => actor === `key:${one.Id}`)
    return key ? t('session.byKey', { name: key.Name }) : actor
  }
  return (
    <section class="stack" aria-labelledby="requests">
      <div>
        <h2 id="requests">{t('session.log')}</h2>
        <p class="hint">{t('session.logHint')}</p>
      </div>
      <div class="log-filters">
        <label>
          <span class="sr-only">{t('session.logSearch')}</span>
          <input
            type="search"
            placeholder={t('session.logSearch')}
            value={search.value}
            maxLength={200}
            onInput={({ currentTarget }) => {
              before.value = 0
              search.value = currentTarget.value
            }}
          />
        </label>
        <label>
          <span class="sr-only">{t('session.logRange')}</span>
          <select
            value={days.value}
            onChange={({ currentTarget }) => {
              before.value = 0
              days.value = currentTarget.value as (typeof RANGES)[number]
            }}
          >
            {RANGES.map((range) => (
              <option key={range} value={range}>
                {t(`session.range_${range}`)}
              </option>
            ))}
          </select>
        </label>
        <Button onPress={log.reload}>{t('session.reload')}</Button>
        {before.value > 0 ? <Button onPress={() => (before.value = 0)}>{t('audit.newest')}</Button> : null}
        {log.data.value?.Before ? (
          <Button onPress={() => (before.value = log.data.value?.Before ?? 0)}>{t('audit.older')}</Button>
        ) : null}
      </div>
      <Loading of={log}>
        {({ Requests: rows }) =>
          rows.length === 0 ? (
            <Empty>{t(wanted ? 'session.logNoneFits' : 'session.logEmpty')}</Empty>
          ) : (
            <Table
              label={t('session.log')}
              rows={rows}
              keyOf={({ Id }) => Id}
              columns={[
                { title: t('session.when'), cell: ({ At }) => timeOf(At) },
                {
                  title: t('session.request'),
                  cell: ({ Method, Path }) => <code>{`${Method} ${Path}`}</code>,
                },
                { title: t('session.by'), cell: ({ Actor }) => actorOf(Actor) },
                {
                  title: t('session.answer'),
                  cell: ({ Status, ErrorCode }) => (
                    <span class="row">
                      <Badge tone={Status < 400 ? 'good' : Status < 500 ? 'warn' : 'bad'}>{Status}</Badge>
                      <ErrorLink code={ErrorCode} />
                    </span>
                  ),
                },
                { title: t('session.requestId'), cell: ({ Id }) => <code>{Id}</code> },
              ]}
            />
          )
        }
      </Loading>
    </section>
  )
}

/** To the page of the gateway that says what the code means and what to do. */
function ErrorLink({ code }: { code: string }) {
  if (!code || !offers('errors')) return <code>{code}</code>
  return (
    <a href={`${ROOT}/docs/errors/${code}`} target="_blank" rel="noopener">
      <code>{code}</code>
    </a>
  )
}

function filterOf(wanted: string): { path?: string; code?: string; request?: string } {
  if (wanted === '') return {}
  if (wanted.startsWith('/')) return { path: wanted }
  return CODE.test(wanted) ? { code: wanted.toUpperCase() } : { request: wanted }
}
