import type { Log } from 'wamux/plugin'
import type { Holder, Leases } from './leases.ts'

/** Reports transactions of others that keep sessions without a node from being claimed. */
export interface Blocked {
  readonly holders: readonly Holder[]
  /** Called when fewer sessions were claimed than are free. */
  look(): Promise<void>
}

export function createBlocked(leases: Pick<Leases, 'holders'>, log: Log): Blocked {
  let holders: readonly Holder[] = []
  const idOf = ({ session, pid }: Holder): string => `${session} ${pid}`
  return {
    get holders() {
      return holders
    },
    async look() {
      const known = new Set(holders.map(idOf))
      holders = await leases.holders()
      for (const holder of holders)
        if (!known.has(idOf(holder)))
          log.warn({ ...holder }, 'session can not be claimed: a transaction has locked its lease')
    },
  }
}
