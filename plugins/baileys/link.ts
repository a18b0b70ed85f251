import './before.ts'
import type { AuthenticationCreds, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, type LinkOptions, reasonOf, type Socket } from 'wamux/plugin'
import { altJid } from './alt-jid.ts'
import { holdFrames } from './barrier.ts'
import { closeReason } from './close-reason.ts'
import { saveCreds } from './creds.ts'
import { downloadOf, storedMessage } from './download.ts'
import type { DriverParts } from './driver.ts'
import { gate } from './gate.ts'
import { createGroupCache } from './group-cache.ts'
import { createInbox, type Received } from './inbox.ts'
import { createKeyStore } from './keys.ts'
import { createLinking } from './linking.ts'
import { listen } from './listen.ts'
import { createOutbox } from './outbox.ts'
import { createOutgoing } from './outgoing.ts'
import { queryOf } from './query.ts'
import { mendRepository } from './repository.ts'
import { messageOf, receiptOf } from './signals.ts'
import { openSocket } from './socket-config.ts'

/** How long closing waits for sends that are under way. */
const CLOSE_MS = 2_000
/** How long plaintexts and sent messages are kept: redelivery, retries and quoting look for them. */
const KEEP_MS = 14 * 24 * 3_600_000
const RESUME_MAX_AGE_MS = 10 * 60_000

/** One link: a Baileys socket with everything that keeps it from losing, doubling or telling too much. */
export function openLink(parts: DriverParts, creds: AuthenticationCreds, options: LinkOptions): Socket {
  const { db, events, config } = parts
  const { id: session, os } = options.session
  const log = options.log.child({ session }, { level: config.log })
  const me = () => ({ id: creds.me?.id ?? '', lid: creds.me?.lid ?? '' })
  const inbox = createInbox(db, session)
  const outgoing = createOutgoing(db, session)
  const keys = createKeyStore(db, session, inbox, config.cacheBytes, () => Object.values(me()))
  const stanzas = new WeakMap<Uint8Array, BinaryNode>()
  let lastStanzaAt = Date.now()
  let isEnding = false
  let isClosed = false

  const save = (): Promise<void> => keys.track(saveCreds(db, session, creds))

  /** A store that fails must not let another frame out: nothing may be receipted that is not kept. */
  function fail(error: unknown): void {
    options.log.error({ session, err: error }, 'storing failed, the link is closed')
    wa.ws.emit('error', new Error(`storing failed: ${reasonOf(error)}`))
    rawOf(wa)?.terminate()
  }

  function logReceived(hash: string, received: Received): Promise<unknown> {
    const signal = messageOf(received, me())
    const done = [inbox.done(hash)]
    return signal ? events.raise(session, 'message', signal, done) : db.write(done)
  }

  const wa = openSocket({
    auth: { creds, keys },
    os,
    network: parts.network(),
    log,
    keepAliveMs: config.keepAliveMs,
    queryTimeoutMs: config.queryTimeoutMs,
    getMessage: async ({ id }) => {
      const row = id ? await outgoing.find(id) : undefined
      return row && outgoing.messageOf(row)
    },
    cachedGroupMetadata: (jid) => groups.get(jid),
    makeSignalRepository: mendRepository({
      stanzaOf: (ciphertext) => stanzas.get(ciphertext),
      onDecrypted: (hash, received) => void logReceived(hash, received).catch(fail),
    }),
  })
  const groups = createGroupCache((jid) => wa.groupMetadata(jid))
  const outbox = createOutbox({
    wa,
    outgoing,
    ackTimeoutMs: config.ackTimeoutMs,
    logSent: (message, writes) => events.raise(session, 'message.sent', { message }, writes),
  })
  const linking = createLinking({
    wa,
    creds,
    save,
    onQr: (code) => options.onEvent({ type: 'qr', code, expires: 20_000 }),
    onPasskey: (detail) => options.onEvent({ type: 'passkey', detail }),
  })

  holdFrames(wa, keys.settled, fail)
  gate(wa, { before, onFailure: fail })
  wa.ws.on('frame', () => {
    lastStanzaAt = Date.now()
  })
  listen(wa, log, 'creds.update', () => void save().catch(fail))
  listen(wa, log, 'connection.update', (update) => {
    const { qr, isNewLogin, connection, lastDisconnect } = update
    if (qr) options.onEvent({ type: 'qr', code: linking.fresh(qr), expires: 60_000 })
    if (isNewLogin) void paired().catch(fail)
    if (connection === 'open') void opened().catch(fail)
    if (connection === 'close' && !isClosed) closed(lastDisconnect?.error)
  })

  function before(kind: string, stanza: BinaryNode): Promise<void> | 'taken' | undefined {
    if (kind === 'message') remember(stanzas, stanza)
    if (kind === 'receipt') return logReceipt(stanza)
    if (kind !== 'notification') return undefined
    groups.take(stanza)
    const taken = linking.take(stanza)
    if (!taken) return undefined
    taken.catch(fail)
    return 'taken'
  }

  async function logReceipt(stanza: BinaryNode): Promise<void> {
    const receipt = receiptOf(stanza, me())
    if (!receipt) return
    const senderAlt = await altJid(wa, receipt.sender)
    await events.raise(session, 'receipt', { ...receipt, senderAlt })
  }

  async function paired(): Promise<void> {
    await save()
    const { me: self, platform = '' } = creds
    options.onEvent({
      type: 'paired',
      jid: self?.id ?? '',
      lid: self?.lid ?? '',
      platform,
      businessName: self?.name ?? '',
    })
  }

  async function opened(): Promise<void> {
    await save()
    const { me: self } = creds
    options.onEvent({ type: 'open', jid: self?.id ?? '', lid: self?.lid ?? '', name: self?.name ?? '' })
    const expired = Date.now() - KEEP_MS
    await Promise.all([inbox.prune(expired), outgoing.prune(expired)])
    for (const { hash, ...received } of await inbox.unfinished()) await logReceived(hash, received)
    for (const row of await outgoing.unfinished(RESUME_MAX_AGE_MS)) {
      await outbox
        .resume(row)
        .catch((error: unknown) => log.warn({ message: row.id, reason: reasonOf(error) }, 'not resumed'))
    }
  }

  function closed(error: unknown): void {
    isClosed = true
    const { reason, detail } = closeReason(error)
    options.onEvent({ type: 'closed', reason: isEnding ? 'stopped' : reason, detail })
  }

  return {
    wa,
    get lastStanzaAt() {
      return lastStanzaAt
    },
    send: outbox.send,
    query: queryOf(wa),
    altJid: (jid) => altJid(wa, jid),
    stored: (chat, id) => storedMessage(inbox, outgoing, me(), chat, id),
    download: downloadOf(wa, parts.network().dispatcher),
    requestPairingCode: linking.requestCode,
    async logout() {
      if (!creds.me) throw gatewayError('NOT_LOGGED_IN')
      const removed = {
        tag: 'remove-companion-device',
        attrs: { jid: creds.me.id, reason: 'user_initiated' },
      }
      // Baileys' own logout sends this and hangs up without waiting for the answer.
      await queryOf(wa)(
        { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'md' }, content: [removed] },
        'log out',
      )
    },
    async end() {
      isEnding = true
      await outbox.close(CLOSE_MS)
      await keys.settled().catch(() => undefined)
      // A real close makes Baileys fail its open queries now; its own end() leaves them to their time-outs.
      rawOf(wa)?.terminate()
      await wa.end(undefined)
      if (!isClosed) closed(undefined)
    },
  }
}

/** The repository gets a ciphertext alone; the buffer itself tells where it came from. */
function remember(stanzas: WeakMap<Uint8Array, BinaryNode>, stanza: BinaryNode): void {
  for (const { content } of Array.isArray(stanza.content) ? stanza.content : []) {
    if (content instanceof Uint8Array) stanzas.set(content, stanza)
  }
}

function rawOf(wa: WASocket): { terminate(): void } | null {
  return (wa.ws as unknown as { socket: { terminate(): void } | null }).socket
}
