import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type ErrorCode, gatewayError } from '../errors.ts'
import type { Reply } from '../types/route.ts'

/** The built files that pages load. */
export interface Assets {
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
  readonly type: string
  readonly plain: Buffer
  readonly packed: Buffer
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Serves a folder to everybody. Each file is read and compressed once: all clients share one copy. */
export function createAssets({ folders, unbuilt, headers = {} }: AssetsOptions): Assets {
  const assets = new Map<string, Promise<Asset>>()
  let names: Promise<Set<string>> | undefined
  return {
    async get(name, acceptedEncodings) {
      const folder = folders.find((one) => existsSync(fileURLToPath(one)))
      if (!folder) throw gatewayError(unbuilt)
      names ??= readdir(folder).then((list) => new Set(list))
      const type = TYPES[name.split('.').at(-1) ?? '']
      if (!type || !(await names).has(name)) throw gatewayError('ROUTE_UNKNOWN')
      const asset = assets.get(name) ?? load(new URL(name, folder), type)
      assets.set(name, asset)
      const { plain, packed } = await asset
      const isPacked = /\bgzip\b/.test(acceptedEncodings)
      return {
        $type: 'wamux/reply',
        status: 200,
        headers: {
          'Content-Type': type,
          Vary: 'Accept-Encoding',
          ...headers,
          ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
        },
        body: isPacked ? packed : plain,
      }
    },
  }
}

async function load(file: URL, type: string): Promise<Asset> {
  const plain = await readFile(file)
  return { type, plain, packed: await promisify(gzip)(plain) }
}
