import type { PluginDb } from 'wamux/plugin'

/**
 * Times in rows that another process may read are the database's: a process whose clock is fast must not make the one that
 * takes over wait. Times in memory are by this process's own clock, as its timers are. 0 stands for none in both.
 */
export interface StoredTimes {
  toStored(time: number): number
  fromStored(time: number): number
}

export function storedTimes({ now }: Pick<PluginDb, 'now'>): StoredTimes {
  const shifted = (time: number, by: number): number => (time === 0 ? 0 : time + by)
  return {
    toStored: (time) => shifted(time, now() - Date.now()),
    fromStored: (time) => shifted(time, Date.now() - now()),
  }
}
