import './before.ts'
import type { AuthenticationCreds, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, isGatewayError, type LinkOptions, reasonOf, type Socket } from 'wamux/plugin'
import { altJid, knownAlt } from './alt-jid.ts'
import { arrivals } from './arrivals.ts'
import { holdFrames } from './barrier.ts'
import { createCache } from './cache.ts'
import { closeReason } from './close-reason.ts'
import type { Codec } from './codec.ts'
import { saveCreds } from './creds.ts'
import { downloadOf, storedMessage } from './download.ts'
import type { LinkParts } from './driver.ts'
import { raiseFacts } from './facts.ts'
import { gate } from './gate.ts'
import { createGroupCache } from './group-cache.ts'
import { createInbox } from './inbox.ts'
import { createJournal } from './journal.ts'
import { createKeyStore } from './keys.ts'
import { createLinking } from './linking.ts'
import { listen } from './listen.ts'
import { logoutOf } from './logout.ts'
import { newsletterUpload } from './newsletter-upload.ts'
import { createOrigins } from './origins.ts'
import { createOutbox } from './outbox.ts'
import { createOutgoing } from './outgoing.ts'
import { queryOf } from './query.ts'
import { mendReplies } from './replies.ts'
import { mendRepository } from './repository.ts'
import { createSettings } from './settings.ts'
import { openSocket } from './socket-config.ts'
import { tellOf } from './tell.ts'
import { uploadOf } from './upload.ts'

/** How long closing waits for sends that are under way. */
const CLOSE_MS = 2_000
/** How long plaintexts and sent messages are kept: redelivery, retries and quoting look for them. */
const KEEP_MS = 14 * 24 * 3_600_000
/** Baileys forgets devices after five minutes; the network says when they change. */
const DEVICES_MS = 24 * 3_600_000

/** One link: a Baileys socket with everything that keeps it from losing, doubling or telling too much. */
export function openLink(
  parts: LinkParts,
  codec: Codec,
  creds: AuthenticationCreds,
  options: LinkOptions,
): Socket {
  const { db, events, config, room } = parts
  const { id: session, os } = options.session
  const log = options.log.child({ session }, { level: config.log })
  const me = () => ({ id: creds.me?.id ?? '', lid: creds.me?.lid ?? '' })
  const inbox = createInbox(db, codec, session)
  const outgoing = createOutgoing(db, codec, session)
  const keys = createKeyStore(db, codec, session, inbox, config.cacheBytes)
  const origins = createOrigins()
  const devices = createCache(5_000, DEVICES_MS)
  const stored = (chat: string, id: string) => storedMessage(inbox, outgoing, me(), chat, id)
  let lastStanzaAt = Date.now()
  let isEnding = false
  let isClosed = false
  /** What could not be stored, in words. */
  let failure = ''

  const save = (): Promise<void> => keys.track(saveCreds(db, codec, session, creds))

  /** A store that fails must not let another frame out: nothing may be receipted that is not kept. */
  function fail(error: unknown): void {
    if (failure) return
    failure = reasonOf(error)
    options.log.error({ session, err: error }, 'storing failed, the link is closed')
    outbox.cut(isGatewayError(error) ? error : gatewayError('INTERNAL', [], { cause: error }))
    wa.ws.emit('error', new Error(failure))
    rawOf(wa)?.terminate()
  }

  const wa = openSocket({
    auth: { creds, keys },
    os,
    network: parts.network(),
    devices,
    log,
    keepAliveMs: config.keepAliveMs,
    queryTimeoutMs: config.queryTimeoutMs,
    getMessage: async ({ id }) => {
      const row = id ? await outgoing.find(id) : undefined
      return row && outgoing.messageOf(row)
    },
    cachedGroupMetadata: (jid) => groups.get(jid),
    makeSignalRepository: mendRepository({
      room: room.free,
      stanzaOf: origins.of,
      onDecrypted: (hash, received) => void journal.decrypted({ hash, ...received }).catch(fail),
      // Tracked: the sender is asked again, and the network told, only once it is logged.
      onFailed: (...failed) => void keys.track(journal.failed(...failed)).catch(fail),
    }),
  })
  const journal = createJournal({ wa, keys, db, session, events, inbox, room, me, onFailure: fail })
  const groups = createGroupCache((jid) => wa.groupMetadata(jid))
  const outbox = createOutbox({
    wa,
    devices,
    outgoing,
    track: keys.track,
    ackTimeoutMs: config.ackTimeoutMs,
    logSent: journal.sent,
    newsletterUpload: () => newsletterUpload(wa, parts.network().dispatcher),
    queue: config.queue,
    pace: async (chat, signal) => parts.pace?.before({ session, chat, signal }),
    logFailed: (failed, writes) => events.raise(session, 'message.failed', failed, writes),
  })
  const linking = createLinking({
    wa,
    creds,
    save,
    onQr: (code) => options.onEvent({ type: 'qr', code, expires: 20_000 }),
    onPasskey: (detail) => options.onEvent({ type: 'passkey', detail }),
  })

  holdFrames(wa, keys.settled, fail)
  const onMessage = (stanza: BinaryNode): Promise<void> | undefined => {
    origins.remember(stanza)
    return journal.arrived(stanza)
  }
  const heard = { wa, keys, session, events, groups, linking, me, stored, onMessage, onFailure: fail }
  mendReplies(wa)
  gate(wa, { before: arrivals(heard), room, onFailure: fail })
  wa.ws.on('frame', () => {
    lastStanzaAt = Date.now()
  })
  raiseFacts(wa, session, events, log, fail)
  const settings = createSettings({ wa, session, events, dispatcher: parts.network().dispatcher, log, fail })
  listen(wa, log, 'creds.update', ({ myAppStateKeyId }) => {
    const saved = myAppStateKeyId ? save().then(journal.keysStored) : save()
    saved.catch(fail)
  })
  listen(wa, log, 'connection.update', (update) => {
    const { qr, isNewLogin, connection, lastDisconnect, receivedPendingNotifications } = update
    if (qr) options.onEvent({ type: 'qr', code: linking.fresh(qr), expires: 60_000 })
    if (isNewLogin) void paired().catch(fail)
    if (connection === 'open') void opened().catch(fail)
    if (receivedPendingNotifications) journal.replay()
    if (connection === 'close' && !isClosed) closed(lastDisconnect?.error)
  })

  async function paired(): Promise<void> {
    await save()
    const { me: self, platform = '' } = creds
    options.onEvent({ type: 'paired', jid: me().id, lid: me().lid, platform, businessName: self?.name ?? '' })
  }

  async function opened(): Promise<void> {
    await save()
    // Before anybody can send: what was cut off keeps its place in front of what comes now.
    outbox.resume(await outgoing.unfinished())
    options.onEvent({ type: 'open', jid: me().id, lid: me().lid, name: creds.me?.name ?? '' })
    await journal.resume()
    const expired = Date.now() - KEEP_MS
    await Promise.all([inbox.prune(expired), outgoing.prune(expired)])
  }

  function closed(error: unknown): void {
    isClosed = true
    outbox.cut()
    const { reason, detail } = closeReason(error, failure)
    options.onEvent({ type: 'closed', reason: isEnding ? 'stopped' : reason, detail })
  }

  return {
    wa,
    get lastStanzaAt() {
      return lastStanzaAt
    },
    send: outbox.send,
    // The next send must not go by the members that the group had before.
    query: (node, ...rest) => queryOf(wa)(node, ...rest).finally(() => groups.take(node)),
    ...settings,
    altJid: (jid) => altJid(wa, jid),
    knownAlt: (jid) => knownAlt(keys, jid),
    stored,
    tell: tellOf(wa),
    upload: uploadOf(wa),
    outcome: outgoing.outcome,
    ...downloadOf(parts.files, wa, config.reuploadTimeoutMs),
    requestPairingCode: linking.requestCode,
    logout: logoutOf(wa, creds),
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

function rawOf(wa: WASocket): { terminate(): void } | null {
  return (wa.ws as unknown as { socket: { terminate(): void } | null }).socket
}
