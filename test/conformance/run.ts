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
    const outcome = isLinked ? await runArea(area, bench) : failed(`${areas[0]?.name} failed`)
    outcomes.push({ client: client.title, area: area.name, ...outcome })
    show(outcomes.at(-1), isLogShown ? library.takeLines() : [])
  }
  await library.close()
  return outcomes
}

async function runArea(area: Area, bench: Bench): Promise<Pick<Outcome, 'result' | 'reason'>> {
  try {
    await withTimeout(area.run(bench), AREA_MS, () => {
      throw new Error(`it took more than ${AREA_MS / 1000} s`)
    })
    return { result: 'passed', reason: '' }
  } catch (error) {
    return error instanceof NotOffered
      ? { result: 'not offered', reason: error.message }
      : failed(reasonOf(error))
  }
}

function failed(reason: string): Pick<Outcome, 'result' | 'reason'> {
  return { result: 'failed', reason }
}

function show(outcome: Outcome | undefined, log: readonly string[]): void {
  if (!outcome) return
  const { client, area, result, reason } = outcome
  process.stdout.write(`${client.padEnd(20)} ${area.padEnd(40)} ${result}${reason ? `: ${reason}` : ''}
`)
  if (result === 'failed')
    for (const line of log)
      process.stderr.write(`    ${line}
`)
}
