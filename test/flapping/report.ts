import { type Faults, faultsOf } from '../crash/evidence.ts'
import type { FlappingReport } from './flapping.ts'

/** Lists of a report, all of which are empty in a clean one. */
export function damageOf(report: FlappingReport): Faults & Record<string, readonly string[]> {
  const { troubles: _, logins: __, suspects: ___, trials: ____, accepted: _____, ...rest } = report
  const { unknown: ______, answers: _______, ...lists } = rest
  return faultsOf(lists) as Faults & Record<string, readonly string[]>
}

export function figuresOf(report: FlappingReport): string {
  const { troubles, logins, suspects, trials, received, sent, accepted, unknown, retries } = report
  const count = (name: keyof FlappingReport): string => `${(report[name] as string[]).length} ${name}`
  const names = [
    'lost',
    'doubled',
    'misplaced',
    'undelivered',
    'vanished',
    'repeated',
    'undecryptable',
  ] as const
  const own = ['refused', 'failed', 'missing', 'unsettled', 'disordered', 'denied'] as const
  return [
    `${troubles} troubles, ${logins} logins, ${suspects} suspects, ${trials} tried alone, ${received} received, ${sent + accepted} sent, ${unknown} of unknown outcome`,
    ...[...names, ...own].map(count),
    `${retries} retries`,
  ].join(', ')
}
