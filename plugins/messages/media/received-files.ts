import type { WAMessageKey } from '@whiskeysockets/baileys'
import { type GatewayServices, gatewayError, isGatewayError, type Kernel, type Row } from 'wamux/plugin'

type Fetch = GatewayServices['files']['fetch']
export type FileKind = Parameters<Fetch>[0]
type MediaFile = Parameters<Fetch>[1]

/** The file of a message, and how the phone knows that message. */
export interface ReceivedFile {
  kind: FileKind
  file: MediaFile
  /** undefined where nobody knows; the phone can't be asked then. */
  message: WAMessageKey | undefined
}

/** Files of messages, also when the media host, which keeps them for some weeks, has them no more. */
export interface ReceivedFiles {
  /**
   * Asks the phone to upload again what is gone, once for all who want it at the same time, and remembers where it
   * is then. Rejects as `files.fetch` and the socket's `reupload` do, and NOT_LOGGED_IN.
   */
  fetch(session: string, wanted: ReceivedFile, maxBytes: number): Promise<Buffer>
}

type Deps = Pick<Kernel<unknown>, 'db' | 'vault' | 'sessions'> & Pick<GatewayServices, 'files'>

export function createReceivedFiles({ db, vault, sessions, files }: Deps): ReceivedFiles {
  const asking = new Map<string, Promise<string>>()

  async function find(session: string, file: string): Promise<string | undefined> {
    const row = await db.read<Row>(db.table('reuploads')).where({ session, file }).first()
    return row && vault.open(session, placeOf(file), row['path'] as Buffer).toString()
  }

  /** Where it is now that it was not at `tried`. */
  async function ask(id: string, name: string, wanted: ReceivedFile, tried?: string): Promise<string> {
    // Another may have asked, and heard, in between.
    const known = await find(id, name)
    if (known !== undefined && known !== tried) return known
    const { socket, loggedIn } = (await sessions.byId(id)) ?? {}
    if (!socket || !loggedIn) throw gatewayError('NOT_LOGGED_IN')
    const path = await socket.reupload(wanted.message ?? {}, wanted.file.mediaKey ?? Buffer.alloc(0))
    const sealed = vault.seal(id, placeOf(name), path)
    const row = { session: id, file: name, path: sealed, logged: Date.now() }
    await db.write([db.put('reuploads', ['session', 'file'], [row])])
    return path
  }

  function askOnce(...[session, name, wanted, tried]: Parameters<typeof ask>): Promise<string> {
    const place = `${session} ${name}`
    const asked = asking.get(place) ?? ask(session, name, wanted, tried).finally(() => asking.delete(place))
    asking.set(place, asked)
    return asked
  }

  return {
    async fetch(session, wanted, maxBytes) {
      const { kind, file, message } = wanted
      const name = vault.index(session, 'messages_reuploads/file', nameOf(file))
      const known = await find(session, name)
      try {
        return await files.fetch(kind, movedTo(known, file), maxBytes)
      } catch (error) {
        if (!message || !isGatewayError(error) || error.code !== 'ITEM_UNKNOWN') throw error
        return files.fetch(kind, movedTo(await askOnce(session, name, wanted, known), file), maxBytes)
      }
    },
  }
}

function placeOf(file: string): string {
  return `messages_reuploads/${file}`
}

/** Key and hash together: nobody but who wrote or got the message can name its file. */
function nameOf({ mediaKey, fileEncSha256 }: MediaFile): string {
  return Buffer.concat([mediaKey ?? Buffer.alloc(0), fileEncSha256 ?? Buffer.alloc(0)]).toString('base64')
}

function movedTo(directPath: string | undefined, file: MediaFile): MediaFile {
  return directPath === undefined ? file : { ...file, url: '', directPath }
}
