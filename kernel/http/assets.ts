import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type ErrorCode, gatewayError } from '../errors.ts'
import type { Reply } from '../types/route.ts'

/** The built files that pages load. */
export interface Assets {
  /** Reads the files, unless they are in memory. Rejects the error that `unbuilt` names. */
  load(): Promise<void>
  /** Rejects ROUTE_UNKNOWN, and the error that `unbuilt` names. */
  get(name: string, acceptedEncodings: string): Promise<Reply>
}

export interface AssetsOptions {
  /** Candidate folders: the first that exists is used. */
  readonly folders: readonly URL[]
  /** The error if none of them exists. */
  readonly unbuilt: ErrorCode
  readonly headers?: Readonly<Record<string, string>>
}

interface Asset {
  readonly plain: Buffer
  packed?: Promise<Buffer>
}

/** Of the files in memory, uncompressed; others are read by each request. */
const MAX_BYTES = 16 * 1024 * 1024

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * Serves a folder to everybody. All files are read at the first use, and each is compressed once: a build that replaces them does not
 * disturb the pages that name them, and all clients share one copy.
 */
export function createAssets({ folders, unbuilt, headers = {} }: AssetsOptions): Assets {
  let assets: Promise<ReadonlyMap<string, Asset | URL>> | undefined

  async function read(): Promise<ReadonlyMap<string, Asset | URL>> {
    const folder = folders.find((one) => existsSync(fileURLToPath(one)))
    if (!folder) throw gatewayError(unbuilt)
    const found = new Map<string, Asset | URL>()
    let bytes = 0
    for (const name of await readdir(folder)) {
      if (!typeOf(name)) continue
      const file = new URL(name, folder)
      const entry = await stat(file)
      if (!entry.isFile()) continue
      bytes += entry.size
      found.set(name, bytes > MAX_BYTES ? file : { plain: await readFile(file) })
    }
    return found
  }

  function all(): Promise<ReadonlyMap<string, Asset | URL>> {
    assets ??= read().catch((error: unknown) => {
      assets = undefined
      throw error
    })
    return assets
  }

  return {
    load: async () => void (await all()),
    async get(name, acceptedEncodings) {
      const found = (await all()).get(name)
      if (!found) throw gatewayError('ROUTE_UNKNOWN')
      const asset: Asset = found instanceof URL ? { plain: await readFile(found) } : found
      const isPacked = /\bgzip\b/.test(acceptedEncodings)
      if (isPacked) asset.packed ??= promisify(gzip)(asset.plain)
      const packed = isPacked ? await asset.packed : undefined
      return {
        $type: 'wamux/reply',
        status: 200,
        headers: {
          'Content-Type': typeOf(name) ?? '',
          Vary: 'Accept-Encoding',
          ...headers,
          ...(packed ? { 'Content-Encoding': 'gzip' } : {}),
        },
        body: packed ?? asset.plain,
      }
    },
  }
}

function typeOf(name: string): string | undefined {
  return TYPES[name.split('.').at(-1) ?? '']
}
