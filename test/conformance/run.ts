import { reasonOf, withTimeout } from '../../kernel/plugin.ts'
import type { LooseNetwork } from '../support/network.ts'
import type { Area, Bench } from './areas/area.ts'
import type { ForeignClient } from './clients.ts'
import { NotOffered, startLibrary } from './library.ts'

export interface Outcome {
  readonly client: string
  readonly area: string
  readonly result: 'passed' | 'failed' | 'not offered'
  /** Of a failure, or what the client does not offer. */
  readonly reason: string
}

const AREA_MS = 90_000

/** Runs the areas one after the other. When linking fails, the others can't run. */
export async function runClient(
  client: ForeignClient,
  areas: readonly Area[],
  loose: LooseNetwork,
  ca: string,
  isLogShown: boolean,
): Promise<Outcome[]> {
  const library = startLibrary(client.name, loose, ca)
  const bench: Bench = {
    loose,
    own: await loose.phones.create({ name: 'Own' }),
    other: await loose.phones.create({ name: 'Other' }),
    companion: library.companion('first'),
    open: library.companion,
    resumes: client.resumes,
  }
  const outcomes: Outcome[] = []
  for (const area of areas) {
    const isLinked = outcomes.length === 0 || outcomes[0]?.result === 'passed'
    const outcome = isLinked ? await runArea(area, bench, client) : failed(`${areas[0]?.name} failed`)
    outcomes.push({ client: client.title, area: area.name, ...outcome })
    show(outcomes.at(-1), isLogShown ? library.takeLines() : [])
  }
  await library.close()
  return outcomes
}

type Result = Pick<Outcome, 'result' | 'reason'>

async function runArea(area: Area, bench: Bench, client: ForeignClient): Promise<Result> {
  const before = retriesOf(bench)
  try {
    await withTimeout(area.run(bench), AREA_MS, () => {
      throw new Error(`it took more than ${AREA_MS / 1000} s`)
    })
    const [retry] = retriesOf(bench).slice(before.length)
    return retry === undefined ? { result: 'passed', reason: '' } : failed(retry)
  } catch (error) {
    if (error instanceof NotOffered) return { result: 'not offered', reason: error.message }
    const defect = client.defects[area.name]
    return failed(defect ? `${reasonOf(error)} (${defect})` : reasonOf(error))
  }
}

/** Messages between the client and the phone that had to be encrypted a second time. The areas can read those too. */
function retriesOf({ other }: Bench): string[] {
  const retried = other.receipts.filter(({ type }) => type === 'retry')
  return [
    ...other.failures.map((failure) => `the phone could not decrypt ${failure}`),
    ...retried.map(({ id }) => `the client could not decrypt ${id} at first`),
  ]
}

function failed(reason: string): Result {
  return { result: 'failed', reason }
}

function show(outcome: Outcome | undefined, log: readonly string[]): void {
  if (!outcome) return
  const { client, area, result, reason } = outcome
  const line = `${client.padEnd(20)} ${area.padEnd(34)} ${result}${reason ? `: ${reason}` : ''}`
  process.stdout.write(`${[line, ...log.map((written) => `    ${written}`)].join('\n')}\n`)
}
