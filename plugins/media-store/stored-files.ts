import { Readable } from 'node:stream'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type LogEvent,
  type Row,
  reasonOf,
  type Write,
} from 'wamux/plugin'
import type { MediaStoreConfig } from './config.ts'
import type { MediaStore } from './contract.ts'
import { createFolder } from './folder.ts'
import { newFileKey, opened, sealed } from './sealed-stream.ts'

/** A file as its message describes it. */
export interface FileWords {
  readonly mimeType: string
  readonly fileName: string
}

export interface StoredFile extends FileWords {
  readonly seq: number
  readonly session: string
  readonly store: string
  readonly key: string
  /** base64; '' where the store encrypts on its own. */
  readonly fileKey: string
}

/** The received files in the stores. */
export interface StoredFiles {
  /**
   * Stores the file of an event; no writes if it has none or is stored already. Rejects PLUGIN_UNAVAILABLE where the store
   * fails, and as `attachments.open` does where the file can't be had.
   */
  store(event: LogEvent): Promise<readonly Write[]>
  find(seq: number): Promise<StoredFile | undefined>
  /** The file as it was received; undefined where the store has lost it. */
  open(file: StoredFile): Promise<Readable | undefined>
  /** Address of the file in its store; undefined where it goes through the gateway. */
  linkTo(file: StoredFile, seconds: number): Promise<string | undefined>
  /** Deletes files that are too old or whose session is gone. Resolves with their number. */
  prune(): Promise<number>
  readonly counts: { readonly stored: number; readonly bytes: number; readonly failures: number }
  /** Throws CONFIG_INVALID for a store that no plugin has. */
  check(): void
}

type Deps = Pick<Kernel<MediaStoreConfig>, 'db' | 'vault' | 'config' | 'settings' | 'contributions'> &
  Pick<GatewayServices, 'attachments'>

const DAY_MS = 86_400_000
const PAGE = 200

export function createStoredFiles(deps: Deps): StoredFiles {
  const { db, vault, config, contributions, attachments } = deps
  const table = db.table('files')
  const folder = createFolder(deps)
  const counts = { stored: 0, bytes: 0, failures: 0 }
  const placeOf = (seq: number): string => `media_store_files/${seq}`

  function storeOf(name: string): MediaStore {
    const stores = [folder, ...contributions('mediaStores').map(({ value }) => value)]
    const found = stores.find((store) => store.name === name)
    const names = stores.map((store) => store.name).join(', ')
    if (!found)
      throw gatewayError('CONFIG_INVALID', [
        `media-store.store: there is no store "${name}"; there are ${names}`,
      ])
    return found
  }

  function toFile(row: Row): StoredFile {
    const [seq, session] = [Number(row['seq']), String(row['session'])]
    const words = JSON.parse(
      vault.open(session, placeOf(seq), row['file'] as Buffer).toString(),
    ) as FileWords & {
      fileKey: string
    }
    return { ...words, seq, session, store: String(row['store']), key: String(row['key']) }
  }

  async function put({ id, session, seq }: LogEvent, { data, ...words }: { data: Readable } & FileWords) {
    const store = storeOf(config.store)
    const key = `${session}/${id}`
    const fileKey = store.isEncrypting ? undefined : newFileKey()
    const source = counted(data)
    try {
      await store.put(key, fileKey ? sealed(source.data, fileKey) : source.data)
    } catch (error) {
      data.destroy()
      counts.failures += 1
      if (source.fault()) throw source.fault()
      throw gatewayError('PLUGIN_UNAVAILABLE', ['media-store', `${store.name}: ${reasonOf(error)}`], {
        cause: error,
      })
    }
    counts.stored += 1
    counts.bytes += source.size()
    const text = JSON.stringify({ ...words, fileKey: fileKey?.toString('base64') ?? '' })
    const file = vault.seal(session, placeOf(seq), text)
    return db.put('files', ['seq'], [{ seq, session, store: store.name, key, file, stored: Date.now() }])
  }

  return {
    counts,
    check: () => void storeOf(config.store),
    async store(event) {
      if (await db.read(table).where({ seq: event.seq }).first('seq')) return []
      const file = await attachments.open(event)
      return file ? [await put(event, file)] : []
    },
    async find(seq) {
      // Files of a deleted session can't be opened any more.
      const row = await db
        .read<Row>(table)
        .where({ seq })
        .whereIn('session', db.read('sessions').select('id'))
        .first()
      return row && toFile(row)
    },
    async open({ store, key, fileKey }) {
      const data = await storeOf(store).get(key)
      return data && fileKey ? opened(data, Buffer.from(fileKey, 'base64')) : data
    },
    async linkTo({ store, key, fileKey, mimeType, fileName }, seconds) {
      return fileKey ? undefined : storeOf(store).link?.(key, { seconds, mimeType, fileName })
    },
    async prune() {
      const before = Date.now() - Math.round(config.keepDays * DAY_MS)
      let count = 0
      for (;;) {
        const rows: Row[] = await db
          .read(table)
          .where('stored', '<', before)
          .orWhereNotExists(db.read('sessions').whereRaw('sessions.id = ??.session', [table]))
          .limit(PAGE)
          .select('seq', 'store', 'key')
        for (const { store, key } of rows) await storeOf(String(store)).remove(String(key))
        const seqs = rows.map(({ seq }) => Number(seq))
        if (seqs.length > 0) await db.transact(async (trx) => trx(table).whereIn('seq', seqs).del())
        count += seqs.length
        if (rows.length < PAGE) return count
      }
    },
  }
}

/** The same stream, with its size and its own error, to distinguish it from one of the store. */
function counted(stream: Readable) {
  let size = 0
  let fault: unknown
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of stream) {
        size += (chunk as Buffer).length
        yield chunk as Buffer
      }
    } catch (error) {
      fault = error
      throw error
    }
  }
  return { data: Readable.from(chunks(), { objectMode: false }), size: () => size, fault: () => fault }
}
