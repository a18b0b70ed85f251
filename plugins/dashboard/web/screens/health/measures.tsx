import { api, offers, ROOT, textOf } from '../../api.ts'
import { Loading } from '../../parts/loading.tsx'
import { Table } from '../../parts/table.tsx'
import type { Loaded } from '../../parts/use-load.ts'
import { bytesOf, numberOf, t, timeOf } from '../../text.ts'
import { Unknown } from './unknown.tsx'

interface Measure {
  readonly name: string
  readonly help: string
  /** By node; '' is the name of the only one. */
  readonly values: ReadonlyMap<string, number>
}

export interface Measured {
  readonly nodes: readonly string[]
  readonly silent: readonly string[]
  readonly measures: readonly Measure[]
}

/** The gauges without labels, of each node. */
export async function readMeasures(): Promise<Measured> {
  const nodes = offers('nodes')
    ? (await api.get('/server/nodes'))
        .filter(({ State }) => State !== 'silent')
        .map(({ Id, Name }) => ({ name: Name, path: `/server/nodes/${encodeURIComponent(Id)}/metrics` }))
    : [{ name: '', path: '/metrics' }]
  const texts = await Promise.all(
    nodes.map(({ path }) =>
      api.call<string>('get', path).catch((error: unknown) => {
        if (nodes.length === 1) throw new Error(textOf(error))
        return undefined
      }),
    ),
  )
  const measures = new Map<string, { name: string; help: string; values: Map<string, number> }>()
  for (const [at, { name: node }] of nodes.entries())
    for (const { name, help, value } of gaugesIn(texts[at] ?? '')) {
      const measure = measures.get(name) ?? { name, help, values: new Map() }
      measures.set(name, measure)
      measure.values.set(node, value)
    }
  return {
    nodes: nodes.map(({ name }) => name),
    silent: nodes.flatMap(({ name }, at) => (texts[at] === undefined ? [name] : [])),
    measures: [...measures.values()],
  }
}

function gaugesIn(text: string): { name: string; help: string; value: number }[] {
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

/** A column for each node. */
export function Measures({ of }: { of: Loaded<Measured> }) {
  return (
    <section class="stack" aria-labelledby="limits">
      <h2 id="limits">{t('health.limits')}</h2>
      <Loading of={of}>
        {({ nodes, silent, measures }) => (
          <>
            <Unknown nodes={silent} />
            <Table
              label={t('health.limits')}
              rows={measures}
              keyOf={({ name }) => name}
              columns={[
                { title: t('health.measure'), cell: ({ name, help }) => <span title={name}>{help}</span> },
                ...nodes.map((node) => ({
                  title: node || t('health.value'),
                  isNumber: true,
                  cell: ({ name, values }: Measure) => textOfValue(name, values.get(node)),
                })),
              ]}
            />
          </>
        )}
      </Loading>
      <p>
        <a href={`${ROOT}/metrics`}>{t('health.metrics')}</a>
      </p>
    </section>
  )
}

/** Formatted by the unit in the name. */
function textOfValue(name: string, value: number | undefined): string {
  if (value === undefined) return '–'
  if (name.endsWith('_bytes')) return bytesOf(value)
  return name.endsWith('_timestamp_seconds') ? timeOf(value * 1000) : numberOf(value)
}
