import {
  type Contributed,
  contributed,
  type Kernel,
  type Metric,
  reasonOf,
  type Sample,
  withTimeout,
} from 'wamux/plugin'
import { register } from './register.ts'

/** The metrics of the plugins in the text format of Prometheus. */
export interface Exposition {
  /** An unreadable metric is left out and counted in `wamux_metrics_unread`. */
  read(): Promise<{ text: string; contentType: string }>
}

/** A database that does not answer must not hold up the other metrics. */
const TIMEOUT_MS = 2_000

export function createExposition({
  contributions,
  log,
}: Pick<Kernel<unknown>, 'contributions' | 'log'>): Exposition {
  async function samplesOf({
    name,
    plugin,
    collect,
  }: Contributed<Metric>): Promise<readonly Sample[] | undefined> {
    const work = async (): Promise<number | readonly Sample[]> => collect()
    try {
      const found = await withTimeout(work(), TIMEOUT_MS, () => {
        throw new Error(`no answer within ${TIMEOUT_MS} ms`)
      })
      return typeof found === 'number' ? [{ value: found }] : found
    } catch (error) {
      log.warn({ metric: name, of: plugin, reason: reasonOf(error) }, 'metric could not be read')
      return undefined
    }
  }

  return {
    async read() {
      // Loaded at the first read of metrics, to save memory.
      const client = await import('prom-client')
      const registry = new client.Registry()
      const declared = contributed(contributions('metrics'))
      const samples = await Promise.all(declared.map(samplesOf))
      for (const [index, metric] of declared.entries()) {
        const found = samples[index]
        if (!found) continue
        if (registry.getSingleMetric(metric.name))
          log.error({ metric: metric.name, of: metric.plugin }, 'metric is declared twice')
        else register(client, registry, metric, found)
      }
      register(client, registry, UNREAD, [{ value: samples.filter((one) => one === undefined).length }])
      return { text: await registry.metrics(), contentType: registry.contentType }
    },
  }
}

const UNREAD = {
  name: 'wamux_metrics_unread',
  type: 'gauge',
  help: 'Metrics that this answer lacks, because they could not be read',
} as const satisfies Pick<Metric, 'type' | 'help'> & { name: string }
