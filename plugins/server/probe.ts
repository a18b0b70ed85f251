import type { PluginDb } from 'wamux/plugin'

/** Shows that the database commits what is written. */
export interface Probe {
  /** Resolves after the commit. While one write waits, no other is made: a database that hangs would collect them. */
  write(): Promise<void>
}

export function createProbe({ db }: { db: PluginDb }): Probe {
  let pending: Promise<void> | undefined
  return {
    write() {
      pending ??= db.write([db.put('probe', ['id'], [{ id: 1, at: Date.now() }])]).finally(() => {
        pending = undefined
      })
      return pending
    },
  }
}
