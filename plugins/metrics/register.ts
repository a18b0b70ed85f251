import type { Registry } from 'prom-client'
import type { Histogram, Metric, Sample } from 'wamux/plugin'

type Client = typeof import('prom-client')
type Described = Pick<Metric, 'type' | 'help'> & { readonly name: string }

/** Adds a metric with its current values. */
export function register(
  client: Client,
  registry: Registry,
  { name, type, help }: Described,
  samples: readonly Sample[],
): void {
  const keys = new Set(samples.flatMap(({ labels = {} }) => Object.keys(labels)))
  // A metric with labels starts without a value; one without labels would start at 0.
  const labelNames = samples.length > 0 ? [...keys] : ['none']
  const config = { name, help, labelNames, registers: [registry] }
  if (type === 'histogram') {
    const values = samples.flatMap((sample) => seriesOf(name, sample))
    ;new (filled(client, { name, help, type, values }))(config)
  } else if (type === 'counter') {
    const counter = new client.Counter(config)
    for (const { labels = {}, value } of samples) counter.inc(labels, Number(value))
  } else {
    const gauge = new client.Gauge(config)
    for (const { labels = {}, value } of samples) gauge.set(labels, Number(value))
  }
}

interface Series {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** The package's histogram counts itself; this one shows values counted elsewhere. */
function filled(
  { Histogram }: Client,
  shown: { name: string; help: string; type: string; values: readonly Series[] },
): typeof Histogram {
  return class extends Histogram {
    /** The form in which the package's registry reads a histogram. */
    async getForPromString(): Promise<typeof shown> {
      return shown
    }
  }
}

function seriesOf(name: string, { labels = {}, value }: Sample): Series[] {
  if (typeof value === 'number') return []
  const buckets = cumulative(value).map(({ le, count }) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value: count,
  }))
  const count = buckets.at(-1)?.value ?? 0
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: value.sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

function cumulative({ bounds, counts }: Histogram): { le: string; count: number }[] {
  let sum = 0
  return counts.map((count, index) => {
    sum += count
    return { le: String(bounds[index] ?? '+Inf'), count: sum }
  })
}
