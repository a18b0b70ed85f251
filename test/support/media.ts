import { createLog } from '../../kernel/logging/log.ts'
import type { GatewayServices } from '../../kernel/plugin.ts'
import { createMedia, type MediaConfig, type SessionMedia } from '../../plugins/media/media.ts'
import { createProcesses } from '../../plugins/media/process/processes.ts'
import { temporaryFolder } from './databases.ts'

export interface OpenMedia extends SessionMedia {
  /** In which the processes have their folders. */
  readonly dataDir: string
  close(): Promise<void>
}

const WORKER = new URL('../../plugins/media/worker/main.ts', import.meta.url)

/** The service `media` without a gateway, for one session. */
export function openMedia(
  given: Partial<MediaConfig> = {},
  httpClient?: GatewayServices['httpClient'],
): OpenMedia {
  const config: MediaConfig = {
    ...{ maxBytes: 5_000_000, maxPixels: 10_000_000, fetchTimeoutMs: 500, convertTimeoutMs: 15_000 },
    ...{ ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', pdfinfo: 'pdfinfo', pdftoppm: 'pdftoppm' },
    ...given,
  }
  const dataDir = temporaryFolder()
  const log = createLog({ level: 'silent' })
  const processes = createProcesses(WORKER, { config, settings: { dataDir }, log })
  const media = createMedia({ config, processes, httpClient }).of('session')
  return { ...media, dataDir, close: () => processes.close() }
}
