import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Kernel } from 'wamux/plugin'
import type { MediaStoreConfig } from './config.ts'
import type { MediaStore } from './contract.ts'

/** Files in a folder of this machine, or one that all machines mount. */
export function createFolder({
  config,
  settings,
}: Pick<Kernel<MediaStoreConfig>, 'config' | 'settings'>): MediaStore {
  const root = config.folder || join(settings.dataDir, 'media')
  const pathOf = (key: string): string => join(root, key)

  return {
    name: 'folder',
    isEncrypting: false,
    async put(key, data) {
      const path = pathOf(key)
      const part = `${path}.part`
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        // `flush` has the file on the disk before it gets its name.
        await pipeline(data, createWriteStream(part, { mode: 0o600, flush: true }))
        await rename(part, path)
      } catch (error) {
        data.destroy()
        await rm(part, { force: true }).catch(() => undefined)
        throw error
      }
    },
    async get(key) {
      try {
        const file = await open(pathOf(key))
        return file.createReadStream()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  }
}
