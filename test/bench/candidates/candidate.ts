import type { Bench } from '../bench.ts'
import type { Request } from '../processes/client.ts'
import { startRaw } from './raw.ts'
import { startWamux } from './wamux.ts'

export type Side = 'raw' | 'wamux'

/** What is measured: a process with linked sessions that sends and receives texts. */
export interface Candidate {
  readonly side: Side
  readonly pid: number
  /** Links a session with a new phone. @param receives its texts are to reach the receiver, which raw needs no webhook for. */
  link(receives?: boolean): Promise<Session>
  /** The HTTP request that sends a text. @param to a JID. */
  text(session: Session, to: string): Request
  /** Resolves when that many texts have arrived since the start: at the webhook receiver, or in `messages.upsert`. */
  reached(count: number): Promise<void>
  end(): Promise<void>
}

export interface Session {
  /** Number of the phone that linked it. */
  phone: string
  token: string
}

/** Measures both in turn, as often as the benchmark runs, each time in a fresh process. */
export async function alternate(bench: Bench, work: (candidate: Candidate) => Promise<void>): Promise<void> {
  for (let run = 1; run <= bench.runs; run += 1) {
    for (const start of [startRaw, startWamux]) {
      const candidate = await start(bench)
      bench.print(`run ${run}, ${candidate.side}`)
      try {
        await work(candidate)
      } finally {
        await candidate.end()
      }
    }
  }
}
