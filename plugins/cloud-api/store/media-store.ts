import { createHash, randomBytes } from 'node:crypto'
import type { Kernel, Row, Viewer } from 'wamux/plugin'

/** An uploaded file without its bytes. */
export interface MediaHead {
  readonly id: string
  readonly type: string
  readonly name: string
  /** Hex. */
  readonly sha256: string
  readonly size: number
}

/**
 * Files uploaded by clients, sealed in the database. A file belongs to no chat: a caller limited to some chats sees only its
 * own uploads.
 */
export interface CloudMediaStore {
  add(session: string, file: { bytes: Buffer; type: string; name: string }, viewer: Viewer): Promise<string>
  head(session: string, id: string, viewer: Viewer): Promise<MediaHead | undefined>
  /** The bytes of a file whose head was read. */
  bytes(session: string, id: string): Promise<Buffer>
  /** Resolves with whether the file existed. */
  remove(session: string, id: string, viewer: Viewer): Promise<boolean>
  /** Id of the session to which a file belongs. */
  sessionOf(id: string): Promise<string | undefined>
}

interface SealedHead extends MediaHead {
  /** The uploader; absent for a file of an earlier version. */
  readonly owner?: string
}

/** The id of a received file is its event's. */
export const EVENT_ID = /^evt_[a-z2-7]{26}$/
/** Bytes per row. */
const PART = 1024 * 1024

export function createMediaStore({ db, vault }: Pick<Kernel<unknown>, 'db' | 'vault'>): CloudMediaStore {
  const headPlace = (id: string): string => `cloud_api_media/${id}`
  const partPlace = (id: string, part: number): string => `cloud_api_media_parts/${id}/${part}`
  const rows = (table: string, where: Row) => db.read<Row>(db.table(table)).where(where)

  async function head(session: string, id: string, viewer: Viewer): Promise<MediaHead | undefined> {
    const row = await rows('media', { session, id }).first()
    if (!row) return undefined
    const { owner, ...found } = JSON.parse(
      vault.open(session, headPlace(id), row['head'] as Buffer).toString(),
    ) as SealedHead
    return viewer.isLimited && owner !== viewer.id ? undefined : found
  }

  return {
    async add(session, { bytes, type, name }, viewer) {
      // Digits only, like Graph's own.
      const id = `9${randomBytes(8).readBigUInt64BE().toString().padStart(20, '0')}`
      const logged = Date.now()
      for (let part = 0; part * PART < bytes.length; part += 1) {
        const slice = bytes.subarray(part * PART, (part + 1) * PART)
        const data = vault.seal(session, partPlace(id, part), slice)
        await db.write([
          db.put('media_parts', ['session', 'id', 'part'], [{ session, id, part, data, logged }]),
        ])
      }
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const sealed = { id, type, name, sha256, size: bytes.length, owner: viewer.id } satisfies SealedHead
      const head = JSON.stringify(sealed)
      // Written last: a file whose upload was interrupted does not exist.
      const row = { session, id, head: vault.seal(session, headPlace(id), head), logged }
      await db.write([db.put('media', ['session', 'id'], [row])])
      return id
    },
    head,
    async bytes(session, id) {
      const parts = await rows('media_parts', { session, id }).orderBy('part')
      return Buffer.concat(
        parts.map((row) => vault.open(session, partPlace(id, Number(row['part'])), row['data'] as Buffer)),
      )
    },
    async remove(session, id, viewer) {
      if (!(await head(session, id, viewer))) return false
      return db.transact(
        async (trx) => {
          await trx(db.table('media_parts')).where({ session, id }).del()
          return (await trx(db.table('media')).where({ session, id }).del()) > 0
        },
        { session },
      )
    },
    async sessionOf(id) {
      const row = /^\d{21}$/.test(id) ? await rows('media', { id }).first('session') : undefined
      return row && String(row['session'])
    },
  }
}
