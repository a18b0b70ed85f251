import type { Kernel } from 'wamux/plugin'
import { freeBytes } from './checks.ts'
import type { ServerConfig } from './config.ts'
import type { Health } from './health.ts'

/** The disk is nearly full below so many times the free bytes that the gateway needs. */
const SCARCE = 4

/** Checks of this process that fail, and a disk that is nearly full. */
export function issuesOf({
  health,
  config,
  settings,
}: Pick<Kernel<ServerConfig>, 'config' | 'settings'> & { health: Health }) {
  let scarceSince = 0

  async function disk() {
    const free = await freeBytes(settings.dataDir)
    const { minFreeBytes } = config
    // With less, the check of the disk fails.
    const isScarce = free >= minFreeBytes && free < SCARCE * minFreeBytes
    scarceSince = isScarce ? scarceSince || Date.now() : 0
    if (!isScarce) return []
    return [
      {
        cause: 'disk-nearly-full',
        level: 'warning' as const,
        subject: 'disk',
        session: '',
        reason: `the data folder has ${mebibytes(free)} free, and stops being ready below ${mebibytes(minFreeBytes)}`,
        remedy: 'Free or add space, or shorten the retention of events and files.',
        screen: '/health',
        since: scarceSince,
      },
    ]
  }

  return {
    async list() {
      const failing = (await health.check()).filter(({ isOk }) => !isOk)
      const checks = failing.map(({ name, why, since }) => ({
        cause: 'check-failing',
        level: 'error' as const,
        subject: name,
        session: '',
        reason: why,
        remedy: 'Correct what the reason names; `GET /server/health` repeats the check.',
        request: 'GET /server/health',
        screen: '/health',
        since,
      }))
      return [...checks, ...(await disk())]
    },
  }
}

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1_048_576)} MiB`
