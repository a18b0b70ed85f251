import { useEffect } from 'preact/hooks'
import { api, HEADERS, ROOT } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { bytesOf, numberOf, t, timeOf } from '../../text.ts'
import { SessionLimits } from './limits.tsx'
import { readWebVersion, WebVersion } from './web-version.tsx'

const REFRESH_MS = 5_000

interface Ready {
  readonly Ready: boolean
  readonly Checks: readonly { Name: string; Plugin: string; Ok: boolean; Why: string; Milliseconds: number }[]
}

export default function HealthScreen() {
  const ready = useLoad(readReady)
  const consumers = useLoad(() => api.get('/server/consumers'))
  const version = useLoad(readWebVersion)
  const metrics = useLoad(readMetrics)
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) return
      for (const { reload } of [ready, version, consumers, metrics]) void reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [ready.reload, version.reload, consumers.reload, metrics.reload])

  return (
    <Page title={t('health.title')} lead={t('health.lead')}>
      <div class="stack">
        <section class="stack" aria-labelledby="checks">
          <h2 id="checks">{t('health.checks')}</h2>
          <Loading of={ready}>
            {({ Ready: isReady, Checks }) => (
              <>
                <Notice kind={isReady ? 'good' : 'bad'}>
                  {t(isReady ? 'health.ready' : 'health.notReady')}
                </Notice>
                <Table
                  label={t('health.checks')}
                  rows={Checks}
                  keyOf={({ Plugin, Name }) => `${Plugin}/${Name}`}
                  columns={[
                    { title: t('health.check'), cell: ({ Name }) => Name },
                    { title: t('health.plugin'), cell: ({ Plugin }) => Plugin },
                    {
                      title: t('health.result'),
                      cell: ({ Ok, Why }) => (
                        <>
                          <Badge tone={Ok ? 'good' : 'bad'}>{t(Ok ? 'shell.yes' : 'shell.no')}</Badge> {Why}
                        </>
                      ),
                    },
                    { title: 'ms', isNumber: true, cell: ({ Milliseconds }) => numberOf(Milliseconds) },
                  ]}
                />
              </>
            )}
          </Loading>
        </section>
        <WebVersion of={version} />
        <section class="stack" aria-labelledby="consumers">
          <h2 id="consumers">{t('health.consumers')}</h2>
          <Loading of={consumers}>
            {({ Consumers }) => (
              <Table
                label={t('health.consumers')}
                rows={Consumers}
                keyOf={({ Name }) => Name}
                columns={[
                  { title: t('health.consumer'), cell: ({ Name }) => Name },
                  { title: t('health.lag'), isNumber: true, cell: ({ Lag }) => numberOf(Lag) },
                  {
                    title: t('health.dead'),
                    isNumber: true,
                    cell: ({ DeadLetters }) => numberOf(DeadLetters),
                  },
                ]}
              />
            )}
          </Loading>
        </section>
        <SessionLimits />
        <section class="stack" aria-labelledby="limits">
          <h2 id="limits">{t('health.limits')}</h2>
          <Loading of={metrics}>
            {(values) => (
              <Table
                label={t('health.limits')}
                rows={values}
                keyOf={({ name }) => name}
                columns={[
                  { title: t('health.measure'), cell: ({ name, help }) => <span title={name}>{help}</span> },
                  {
                    title: t('health.value'),
                    isNumber: true,
                    cell: textOfValue,
                  },
                ]}
              />
            )}
          </Loading>
          <p>
            <a href={`${ROOT}/metrics`}>{t('health.metrics')}</a>
          </p>
        </section>
      </div>
    </Page>
  )
}

/** Formatted by the unit in its name. */
function textOfValue({ name, value }: { name: string; value: number }): string {
  if (name.endsWith('_bytes')) return bytesOf(value)
  return name.endsWith('_timestamp_seconds') ? timeOf(value * 1000) : numberOf(value)
}

/** Its 503 also has the checks, as the data of the refusal. */
async function readReady(): Promise<Ready> {
  const response = await fetch(`${ROOT}/server/ready`, { headers: HEADERS })
  return ((await response.json()) as { data: Ready }).data
}

/** The gauges without labels: the totals. */
async function readMetrics(): Promise<{ name: string; help: string; value: number }[]> {
  const text = await api.call<string>('get', '/metrics')
  const help = new Map(
    [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', words = '']) => [name, words]),
  )
  const gauges = new Set([...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name = '']) => name))
  return [...text.matchAll(/^(\w+) (-?[\d.e+]+)$/gm)]
    .filter(
      ([, name = '']) =>
        gauges.has(name) && (name.startsWith('wamux_') || name.startsWith('process_resident')),
    )
    .map(([, name = '', value]) => ({ name, help: help.get(name) ?? name, value: Number(value) }))
}
