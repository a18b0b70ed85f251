/** A line of Prometheus' text format. */
export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What `/metrics` of a gateway shows. */
export interface Metrics {
  readonly all: readonly Series[]
  /** Declared by a TYPE line, by name. */
  readonly types: ReadonlyMap<string, string>
  /** The value of the one series with these labels; undefined where there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined
}

export async function readMetrics(url: string, headers: Record<string, string>): Promise<Metrics> {
  const response = await fetch(`${url}/metrics`, { headers })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return parseMetrics(await response.text())
}

/** Throws for a line that is not of the format. */
export function parseMetrics(text: string): Metrics {
  const lines = text.split('\n').filter((line) => line !== '')
  const all = lines.filter((line) => !line.startsWith('#')).map(seriesOf)
  const types = new Map(
    lines.flatMap((line) => {
      const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
      return name ? [[name, type] as const] : []
    }),
  )
  return {
    all,
    types,
    value(name, labels = {}) {
      const wanted = Object.entries(labels)
      return all.find((one) => one.name === name && wanted.every(([key, text]) => one.labels[key] === text))
        ?.value
    },
  }
}

function seriesOf(line: string): Series {
  const [, name = '', labels = '', value = ''] = /^([a-z_][\w:]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? []
  if (!name || Number.isNaN(Number(value))) throw new Error(`not a series: ${line}`)
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
    key,
    text,
  ])
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}
