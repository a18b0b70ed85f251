import type { Readable } from 'node:stream'
import type { WAMessageKey } from '@whiskeysockets/baileys'
import { type GatewayServices, gatewayError, isGatewayError, type Kernel, type Row } from 'wamux/plugin'

type Fetch = GatewayServices['files']['fetch']
export type ReceivedFileKind = Parameters<Fetch>[1]
type MediaFile = Parameters<Fetch>[2]

/** The file of a message, and the message key for the phone. */
export interface ReceivedFile {
  kind: ReceivedFileKind
  file: MediaFile
  /** undefined if unknown: the phone can't be asked then. */
  message: WAMessageKey | undefined
}

/** Files of messages, even after they have expired on the media host, which keeps them for some weeks. */
export interface ReceivedFiles {
  /**
   * Asks the phone to reupload an expired file, once for all concurrent requests, and stores its new location. Rejects like
   * `files.fetch` and the socket's `reupload`, and with NOT_LOGGED_IN.
   */
  fetch(session: string, requested: ReceivedFile, maxBytes: number): Promise<Buffer>
  /** The same as a stream, which ends with an error if the file is not the right one. */
  stream(session: string, requested: ReceivedFile, maxBytes: number): Promise<Readable>
}

type Deps = Pick<Kernel<unknown>, 'db' | 'vault' | 'sessions'> & Pick<GatewayServices, 'files'>

export function createReceivedFiles({ db, vault, sessions, files }: Deps): ReceivedFiles {
  const uploads = new Map<string, Promise<string>>()

  async function find(session: string, file: string): Promise<string | undefined> {
    const row = await db.read<Row>(db.table('reuploads')).where({ session, file }).first()
    return row && vault.open(session, vaultLabel(file), row['path'] as Buffer).toString()
  }

  /** Its current location, after a miss at `tried`. */
  async function reupload(
    id: string,
    name: string,
    requested: ReceivedFile,
    tried?: string,
  ): Promise<string> {
    // Another request may have received the answer meanwhile.
    const known = await find(id, name)
    if (known !== undefined && known !== tried) return known
    const { socket, loggedIn } = (await sessions.byId(id)) ?? {}
    if (!socket || !loggedIn) throw gatewayError('NOT_LOGGED_IN')
    const path = await socket.reupload(requested.message ?? {}, requested.file.mediaKey ?? Buffer.alloc(0))
    const sealed = vault.seal(id, vaultLabel(name), path)
    const row = { session: id, file: name, path: sealed, logged: Date.now() }
    await db.write([db.put('reuploads', ['session', 'file'], [row])])
    return path
  }

  function reuploadOnce(...[session, name, requested, tried]: Parameters<typeof reupload>): Promise<string> {
    const key = `${session} ${name}`
    const upload =
      uploads.get(key) ?? reupload(session, name, requested, tried).finally(() => uploads.delete(key))
    uploads.set(key, upload)
    return upload
  }

  /** @param get called with the file's location, and again with the new one after a reupload. */
  async function locate<T>(
    session: string,
    requested: ReceivedFile,
    get: (file: MediaFile) => Promise<T>,
  ): Promise<T> {
    const { file, message } = requested
    const name = vault.index(session, 'messages_reuploads/file', nameOf(file))
    const known = await find(session, name)
    try {
      return await get(movedTo(known, file))
    } catch (error) {
      if (!message || !isGatewayError(error) || error.code !== 'ITEM_UNKNOWN') throw error
      return get(movedTo(await reuploadOnce(session, name, requested, known), file))
    }
  }

  return {
    fetch: (session, requested, maxBytes) =>
      locate(session, requested, (file) => files.fetch(session, requested.kind, file, maxBytes)),
    stream: (session, requested, maxBytes) =>
      locate(session, requested, (file) => files.stream(session, requested.kind, file, maxBytes)),
  }
}

function vaultLabel(file: string): string {
  return `messages_reuploads/${file}`
}

/** Key and hash together: only the sender and the recipients of a message know both. */
function nameOf({ mediaKey, fileEncSha256 }: MediaFile): string {
  return Buffer.concat([mediaKey ?? Buffer.alloc(0), fileEncSha256 ?? Buffer.alloc(0)]).toString('base64')
}

function movedTo(directPath: string | undefined, file: MediaFile): MediaFile {
  return directPath === undefined ? file : { ...file, url: '', directPath }
}
