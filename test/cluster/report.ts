import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { type ClusterReport, isClean } from './cluster.ts'
import type { FaultName } from './faults.ts'

/** A part of a long run, on nodes and a database of its own. */
export interface Round {
  fault: FaultName
  /** Of this round; the same for the same run. */
  seed: number
  times: number
  leaseMs: number
  nodes: number
  sessions: number
}

export interface Finished extends Round {
  report: ClusterReport
}

/** The rounds of a run: as many as it takes to do it `times` times. */
export function roundsOf(run: Round, size: number): Round[] {
  return Array.from({ length: Math.ceil(run.times / size) }, (_, index) => ({
    ...run,
    seed: run.seed + 1_000 * index,
    times: Math.min(size, run.times - index * size),
  }))
}

/** Rounds that are finished, kept in a file of JSON lines, so that a run that was interrupted goes on. */
export interface Results {
  find(round: Round): Finished | undefined
  add(finished: Finished): void
}

export function openResults(file: string | undefined): Results {
  const kept: Finished[] =
    file && existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Finished)
      : []
  const keyOf = ({ fault, seed, times, leaseMs, nodes, sessions }: Round): string =>
    [fault, seed, times, leaseMs, nodes, sessions].join()
  return {
    find: (round) => kept.find((one) => keyOf(one) === keyOf(round)),
    add(finished) {
      if (file) appendFileSync(file, `${JSON.stringify(finished)}\n`)
    },
  }
}

/** One line about all rounds of a fault, and what was wrong in them. */
export function summary(rounds: readonly Finished[]): { line: string; wrong: object[] } {
  const reports = rounds.map(({ report }) => report)
  const sum = (pick: (report: ClusterReport) => number): number =>
    reports.reduce((total, report) => total + pick(report), 0)
  const gaps = reports.flatMap((report) => report.gaps).toSorted((a, b) => a - b)
  const at = (share: number): string =>
    ((gaps[Math.max(0, Math.ceil(gaps.length * share) - 1)] ?? 0) / 1000).toFixed(1)
  const wrong = rounds
    .filter(({ fault, report }) => !isClean(fault, report))
    .map(({ fault, seed, report: { faults, overlaps, stale, retries } }) => ({
      fault,
      seed,
      ...Object.fromEntries(Object.entries(faults).filter(([, list]) => list.length > 0)),
      ...{ overlaps, stale, retries },
    }))
  const [first] = rounds
  const line = [
    `${sum(({ gaps }) => gaps.length)} × ${first?.fault}, lease ${first?.leaseMs} ms`,
    `${sum(({ received }) => received)} received, ${sum(({ sent }) => sent)} sent`,
    `${sum(({ faults }) => faults.lost.length + faults.undelivered.length + faults.vanished.length)} lost`,
    `${sum(({ faults }) => faults.doubled.length + faults.repeated.length)} doubled`,
    `${sum(({ faults }) => faults.misplaced.length)} out of order`,
    `${sum(({ faults }) => faults.refused.length)} sends failed`,
    `${sum(({ overlaps }) => overlaps.length)} overlaps`,
    `${sum(({ stale }) => stale.length)} stale frames`,
    `served again after: median ${at(0.5)} s, p99 ${at(0.99)} s, longest ${at(1)} s`,
  ].join('; ')
  return { line, wrong }
}
