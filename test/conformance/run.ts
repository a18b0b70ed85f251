import { reasonOf, withTimeout } from '../../kernel/plugin.ts'
import { eventually } from '../support/eventually.ts'
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
/** No confirmation for this long is a failure. */
const QUIET_MS = 12_000

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
    const isLinked = outcomes.length === 0 || (bench.own.view()['Companions'] as unknown[]).length > 0
    const outcome = isLinked ? await runArea(area, bench, client) : failed(`${areas[0]?.name} failed`)
    outcomes.push({ client: client.title, area: area.name, ...outcome })
    show(outcomes.at(-1), isLogShown ? library.takeLines() : [])
  }
  await library.close()
  return outcomes
}

type Result = Pick<Outcome, 'result' | 'reason'>

async function runArea(area: Area, bench: Bench, client: ForeignClient): Promise<Result> {
  const [before, waited] = [repetitionsOf(bench), waitingFor(bench)]
  const defect = client.defects[area.name]
  const because = (reason: string): Result => failed(defect ? `${reason} (${defect})` : reason)
  try {
    await withTimeout(area.run(bench), AREA_MS, () => {
      throw new Error(`it took more than ${AREA_MS / 1000} s`)
    })
    await eventually(() => waitingFor(bench) <= waited, 'everything confirmed by the client', {
      progress: () => waitingFor(bench),
      quietMs: QUIET_MS,
    })
    const repeated = repetitionsOf(bench).filter((one, index) => one !== before[index])
    return repeated.length === 0 ? { result: 'passed', reason: '' } : because(repeated.join(', '))
  } catch (error) {
    if (error instanceof NotOffered) return { result: 'not offered', reason: error.message }
    return because(reasonOf(error))
  }
}

/** Stanzas that the client has not confirmed, which the network sends again. */
function waitingFor({ own }: Bench): number {
  const companions = own.view()['Companions'] as { Online: boolean; Waiting: number }[]
  return companions.reduce((sum, { Online, Waiting }) => sum + (Online ? Waiting : 0), 0)
}

/** What the network has sent again, and what the phones could not decrypt, both of the client's account and the other. */
function repetitionsOf({ loose, own, other }: Bench): string[] {
  const { redelivered, retries, malformedRetries } = loose.network.view()['Counters'] as Record<
    string,
    number
  >
  return [
    `stanzas delivered again: ${redelivered}`,
    `retry receipts: ${retries}`,
    `malformed retry receipts: ${malformedRetries}`,
    `not decrypted by the phones: ${[...new Set([...own.failures, ...other.failures])].join(' ')}`,
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
