import type { Side } from './candidates/candidate.ts'

/** A figure of the table. */
export interface Figure {
  label: string
  unit: string
  /** What the bounds are of: wamux's ratio to raw, or wamux's own value. */
  of: 'ratio' | 'value'
  /** Whether less or more is better. */
  better: 'less' | 'more'
  must?: number
  aim?: number
  /** Holds for the numbers of a full run only. */
  isSized?: boolean
}

/** Medians of one figure. */
export interface Result {
  raw?: number
  wamux: number
}

const beside = (
  label: string,
  unit: string,
  better: Figure['better'],
  must: number,
  aim: number,
): Figure => ({ label, unit, of: 'ratio', better, must, aim })
const cpu = (work: string, must: number, aim: number): Figure =>
  beside(`${work}: CPU`, 'ms', 'less', must, aim)
const rate = (work: string, must: number, aim: number): Figure =>
  beside(`${work}: rate`, '/s', 'more', must, aim)
const value = (label: string, unit: string, must?: number, aim?: number): Figure => ({
  label,
  unit,
  of: 'value',
  better: 'less',
  ...(must === undefined ? {} : { must }),
  ...(aim === undefined ? {} : { aim }),
})

const sized = (...args: Parameters<typeof value>): Figure => ({ ...value(...args), isSized: true })

/** All figures in the order of the table. CPU is of the candidate's process for each message. */
export const FIGURES: Readonly<Record<string, Figure>> = {
  'sends.50.cpu': cpu('send 1:1, 50 at once', 1.1, 0.8),
  'sends.50.rate': rate('send 1:1, 50 at once', 0.95, 1.2),
  'sends.10.cpu': cpu('send 1:1, 10 at once', 1.2, 0.9),
  'sends.10.rate': rate('send 1:1, 10 at once', 0.9, 1.1),
  'sends.1.cpu': cpu('send 1:1, one at a time', 1.4, 1.1),
  'sends.1.rate': rate('send 1:1, one at a time', 0.75, 0.9),
  'receive.cpu': cpu('receive 1:1 to the webhook', 1.5, 1.2),
  'receive.rate': rate('receive 1:1 to the webhook', 0.9, 1),
  'groups.10.cpu': cpu('send to a group of 10', 0.3, 0.15),
  'groups.50.cpu': cpu('send to a group of 50', 0.4, 0.2),
  'groups.receive.cpu': cpu('receive in a group of 10', 0.15, 0.1),
  'groups.receive.rate': rate('receive in a group of 10', 4, 8),
  'webhooks.stall': sized('webhooks: caught up after a stall of 5 s, stream of 3,100/s', 's', 30),
  'webhooks.1000.p50': value('webhooks: 1,000/s, commit to POST, median', 'ms'),
  'webhooks.1000.p99': value('webhooks: 1,000/s, commit to POST, 99th percentile', 'ms'),
  'webhooks.1000.cpu': value('webhooks: 1,000/s, CPU an event', 'ms'),
  'webhooks.3100.p50': value('webhooks: 3,100/s, commit to POST, median', 'ms'),
  'webhooks.3100.p99': value('webhooks: 3,100/s, commit to POST, 99th percentile', 'ms'),
  'webhooks.3100.cpu': value('webhooks: 3,100/s, CPU an event', 'ms'),
  'webhooks.table.rate': {
    label: 'webhooks: a million waiting deliveries',
    unit: '/s',
    of: 'value',
    better: 'more',
    isSized: true,
  },
  'webhooks.table.rss': sized('webhooks: a million waiting deliveries, highest RSS', 'MB'),
  'network.direct': value('network process, CPU a message 1:1', 'ms', 1, 0.6),
  'network.group': value('network process, CPU a message to a group of 10', 'ms', 10, 5),
  'memory.heap': value('V8 heap of an idle session', 'kB', 450, 350),
  'memory.restored': value('RSS of an idle session after a restart', 'MB', 0.6, 0.4),
  'memory.linked': value('RSS of an idle session, freshly linked', 'MB', 1, 0.6),
  'memory.many': sized('RSS of 1,000 idle sessions', 'MB', 750, 500),
  'memory.standard': value('RSS empty, profile standard', 'MB', 120, 100),
  'memory.minimal': value('RSS empty, profile minimal', 'MB', 90, 80),
  'memory.sends': sized('RSS of one session right after 4,000 sends', 'MB', 170, 150),
  'memory.rested': sized('the same after 40 seconds without work', 'MB'),
  'backlog.seconds': sized('2,000 messages waiting on the network, until all are at the webhook', 's', 5, 2),
  'start.cpu': sized('start with 100 sessions: CPU to /server/ok', 's', 1.2, 0.7),
  'start.restore': sized('start with 100 sessions: CPU of the restore beyond it', 's', 2.5, 1),
  'start.wall': sized('start with 100 sessions: until all are logged in', 's', 4, 2),
}

/** A Markdown table of what was measured, with its bounds. @param isQuick with smaller numbers than the labels say. */
export function tableOf(results: Readonly<Record<string, Result>>, isQuick = false): string {
  return toTable(HEAD, rowsOf(results, isQuick))
}

/** The same without bounds. */
export function figuresOf(results: Readonly<Record<string, Result>>): string {
  const shown = HEAD.slice(0, HEAD.indexOf('must'))
  return toTable(
    shown,
    rowsOf(results).map((cells) => cells.slice(0, shown.length)),
  )
}

function rowsOf(results: Readonly<Record<string, Result>>, isQuick = false): string[][] {
  return Object.entries(FIGURES).flatMap(([id, figure]) => {
    const result = results[id]
    return result ? [rowOf(isQuick && figure.isSized ? withoutBounds(figure) : figure, result)] : []
  })
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function withoutBounds({ must: _must, aim: _aim, label, ...figure }: Figure): Figure {
  return { ...figure, label: `${label} (smaller numbers)` }
}

const HEAD = ['Work', 'raw', 'wamux', 'wamux / raw', 'must', 'aim', 'reached']

function rowOf(figure: Figure, { raw, wamux }: Result): string[] {
  const { label, unit, of, better, must, aim } = figure
  const ratio = raw === undefined ? undefined : wamux / raw
  const judged = of === 'ratio' ? ratio : wamux
  const bound = (limit: number | undefined): string =>
    limit === undefined ? '' : `${better === 'less' ? '≤' : '≥'} ${limit}${of === 'ratio' ? 'x' : ` ${unit}`}`
  const reaches = (limit: number | undefined): boolean =>
    limit !== undefined && judged !== undefined && (better === 'less' ? judged <= limit : judged >= limit)
  const outcome = reaches(aim) ? 'aim' : reaches(must) ? 'must' : must === undefined ? '' : '**no**'
  return [
    label,
    raw === undefined ? '' : shown(raw, unit),
    shown(wamux, unit),
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    bound(must),
    bound(aim),
    outcome,
  ]
}

/** Three significant digits. */
function shown(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return `${value.toFixed(digits)}${unit.startsWith('/') ? '' : ' '}${unit}`
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** What one run measured. */
export interface Sample {
  /** Of a figure. */
  id: string
  side: Side
  value: number
}

/** The medians. Figures without a sample of wamux are left out. */
export function resultsOf(samples: readonly Sample[]): Record<string, Result> {
  const valuesOf = (id: string, side: Side): number[] =>
    samples.filter((sample) => sample.id === id && sample.side === side).map(({ value }) => value)
  return Object.fromEntries(
    Object.keys(FIGURES).flatMap((id) => {
      const [raw, wamux] = [valuesOf(id, 'raw'), valuesOf(id, 'wamux')]
      if (wamux.length === 0) return []
      return [[id, { wamux: medianOf(wamux), ...(raw.length > 0 ? { raw: medianOf(raw) } : {}) }]]
    }),
  )
}
