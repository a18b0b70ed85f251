interface Group {
  members: number
  warm: number
  count: number
}

/** How much each part does. */
export interface Sizes {
  /** Texts that each process of a candidate handles before it is measured. */
  warm: number
  sends: readonly { atOnce: number; count: number }[]
  receives: number
  /** Of 10 members and of 50. */
  groups: readonly [Group, Group]
  groupReceives: number
  /** Idle sessions that memory and start are measured with, and many of them. */
  sessions: number
  manySessions: number
  /** Sends of a process until its memory is read. */
  sendsOfMemory: number
  backlog: number
  webhooks: { seconds: number; table: number }
}

export const FULL: Sizes = {
  warm: 2000,
  sends: [
    { atOnce: 50, count: 2000 },
    { atOnce: 10, count: 1000 },
    { atOnce: 1, count: 500 },
  ],
  receives: 2000,
  groups: [
    { members: 10, warm: 50, count: 300 },
    { members: 50, warm: 20, count: 100 },
  ],
  groupReceives: 500,
  sessions: 100,
  manySessions: 1000,
  sendsOfMemory: 4000,
  backlog: 2000,
  webhooks: { seconds: 60, table: 1_000_000 },
}

/** Enough to see a change; nothing of it is written to BENCHMARKS.md. */
export const QUICK: Sizes = {
  warm: 500,
  sends: [
    { atOnce: 50, count: 500 },
    { atOnce: 10, count: 300 },
    { atOnce: 1, count: 150 },
  ],
  receives: 500,
  groups: [
    { members: 10, warm: 10, count: 60 },
    { members: 50, warm: 5, count: 20 },
  ],
  groupReceives: 100,
  sessions: 20,
  manySessions: 60,
  sendsOfMemory: 1000,
  backlog: 500,
  webhooks: { seconds: 10, table: 20_000 },
}
