import { statfs } from 'node:fs/promises'
import type { Driver, HealthCheck, Kernel } from 'wamux/plugin'
import type { ServerConfig } from './config.ts'
import type { ReadinessProbe } from './probe.ts'

type Deps = Pick<Kernel<ServerConfig>, 'config' | 'settings'> & {
  probe: ReadinessProbe
  driver?: Driver | undefined
}

/** The gateway's own requirements, independent of enabled plugins. */
export const healthChecks = ({ driver, probe, config, settings }: Deps) =>
  ({
    database: {
      async check() {
        await probe.write()
        return undefined
      },
    },
    disk: {
      async check() {
        const free = await freeBytes(settings.dataDir)
        if (free >= config.minFreeBytes) return undefined
        return `the data folder has ${free} bytes free, fewer than ${config.minFreeBytes}`
      },
    },
    driver: {
      check: async () => (driver ? undefined : 'no running plugin provides a driver'),
    },
  }) satisfies Record<string, HealthCheck>

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
