import type { Readable } from 'node:stream'

/** A place for files: `contributes: { mediaStores: (deps) => ({ name: 's3', … }) }`. */
export interface MediaStore {
  /** What `media-store.store` chooses it by. */
  readonly name: string
  /** It encrypts on its own: files are given to it as they are, and not sealed by the gateway. */
  readonly isEncrypting: boolean
  /**
   * Resolves once the file is durable; replaces what is there. Rejects where it could not be stored, and when `data` ends
   * with an error; then nothing is kept.
   */
  put(key: string, data: Readable): Promise<void>
  /** undefined if there is no such file. */
  get(key: string): Promise<Readable | undefined>
  /** Resolves as well if there is no such file. */
  remove(key: string): Promise<void>
  /** An address that the file can be downloaded from for so many seconds; only of a store that encrypts on its own. */
  link?(key: string, file: { seconds: number; mimeType: string; fileName: string }): Promise<string>
}

declare module 'wamux/plugin' {
  interface GatewayContributions {
    mediaStores: MediaStore
  }
}
