import type { PluginDb } from 'wamux/plugin'

/** Proves that the database commits writes. */
export interface ReadinessProbe {
  /** Resolves after the commit. While one write waits, no other is made, so a hanging database does not collect them. */
  write(): Promise<void>
}

export function createProbe({ db }: { db: PluginDb }): ReadinessProbe {
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
