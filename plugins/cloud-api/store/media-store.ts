import { createHash, randomBytes } from 'node:crypto'
import type { Kernel, Row } from 'wamux/plugin'

/** An uploaded file without its bytes. */
export interface MediaHead {
  readonly id: string
  readonly type: string
  readonly name: string
  /** Hex. */
  readonly sha256: string
  readonly size: number
}

/** Files that clients have uploaded, sealed in the database. */
export interface MediaStore {
  add(session: string, file: { bytes: Buffer; type: string; name: string }): Promise<string>
  head(session: string, id: string): Promise<MediaHead | undefined>
  bytes(session: string, id: string): Promise<Buffer>
  /** Resolves with whether there was one. */
  remove(session: string, id: string): Promise<boolean>
  /** Id of the session that a file belongs to. */
  sessionOf(id: string): Promise<string | undefined>
}

/** The id of a received file is that of its event. */
export const EVENT_ID = /^evt_[a-z2-7]{26}$/
/** Bytes of one row. */
const PART = 1024 * 1024

export function createMediaStore({ db, vault }: Pick<Kernel<unknown>, 'db' | 'vault'>): MediaStore {
  const headPlace = (id: string): string => `cloud_api_media/${id}`
  const partPlace = (id: string, part: number): string => `cloud_api_media_parts/${id}/${part}`
  const rows = (table: string, where: Row) => db.read<Row>(db.table(table)).where(where)

  return {
    async add(session, { bytes, type, name }) {
      // Digits alone, as Graph's own are.
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
      const head = JSON.stringify({ id, type, name, sha256, size: bytes.length } satisfies MediaHead)
      // Last: a file whose upload was cut off does not exist.
      const row = { session, id, head: vault.seal(session, headPlace(id), head), logged }
      await db.write([db.put('media', ['session', 'id'], [row])])
      return id
    },
    async head(session, id) {
      const row = await rows('media', { session, id }).first()
      return row && JSON.parse(vault.open(session, headPlace(id), row['head'] as Buffer).toString())
    },
    async bytes(session, id) {
      const parts = await rows('media_parts', { session, id }).orderBy('part')
      return Buffer.concat(
        parts.map((row) => vault.open(session, partPlace(id, Number(row['part'])), row['data'] as Buffer)),
      )
    },
    async remove(session, id) {
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
