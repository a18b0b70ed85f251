import type { Side } from './candidates/candidate.ts'
import type { Child } from './child.ts'
import type { Client } from './processes/client.ts'
import type { Network } from './processes/network.ts'
import type { Sizes } from './sizes.ts'

/** What a part works with. */
export interface Bench {
  sizes: Sizes
  runs: number
  /** Removed at the end. */
  folder: string
  /** Where CPU profiles of wamux go; none is made without. */
  profiles: string | undefined
  network: Child<Network>
  /** The file that says where the network is. */
  card: string
  client: Child<Client>
  /** URL of a new, empty PostgreSQL database; undefined means SQLite. */
  database(): Promise<string | undefined>
  /** @param id of a figure of the table. */
  add(id: string, side: Side, value: number): void
  print(line: string): void
}
