import type { Metric } from 'wamux/plugin'
import { daysSince } from './revision.ts'
import type { WebVersions } from './web-versions.ts'

export const metricsOf = ({ current }: Pick<WebVersions, 'current'>) =>
  ({
    wamux_web_version_age_days: {
      type: 'gauge',
      help: 'Days since the version of WhatsApp Web used for links was the current one; absent before the first link',
      async collect() {
        const { source, at, known } = await current()
        return source === 'setting' || known.began > 0 ? [{ value: daysSince(at, Date.now()) }] : []
      },
    },
    wamux_web_version_expires_seconds: {
      type: 'gauge',
      help: 'Seconds until the end of this version, if WhatsApp has announced one',
      async collect() {
        const { expires } = await current()
        return expires > 0 ? [{ value: (expires - Date.now()) / 1000 }] : []
      },
    },
  }) satisfies Record<string, Metric>
