import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  failpoint,
  gatewayError,
  isGatewayError,
  type LinkOptions,
  reasonOf,
  type Socket,
  withTimeout,
} from 'wamux/plugin'
import { createSettings } from './app-state/settings.ts'
import { downloadOf, storedBy } from './media/download.ts'
import { createLinking, type LinkCreds } from './pairing/linking.ts'
import { logoutOf } from './pairing/logout.ts'
import type { LinkParts } from './parts.ts'
import { altJid, knownAlt } from './protocol/alt-jid.ts'
import { closeReason, isBrokenOff } from './protocol/close-reason.ts'
import { queryOf } from './protocol/query.ts'
import { forwardEvents } from './receive/forwarded-events.ts'
import { createJournal } from './receive/journal.ts'
import { signalRepositoryOf } from './receive/signal-repository.ts'
import { createStanzasByCiphertext } from './receive/stanza-by-ciphertext.ts'
import { stanzaRouter } from './receive/stanza-router.ts'
import { createGroupCache } from './send/group-cache.ts'
import { historyRequestOf } from './send/history-request.ts'
import { newsletterUpload } from './send/newsletter-upload.ts'
import { createOutbox } from './send/outbox.ts'
import { presenceSenderOf } from './send/presence.ts'
import { outcomeTopic, queuedTopic } from './send/remote.ts'
import { uploadOf } from './send/upload.ts'
import { createCache } from './socket/cache.ts'
import { internalsOf } from './socket/internals.ts'
import { listen } from './socket/listen.ts'
import { openSocket } from './socket/open.ts'
import { installPipeline } from './socket/pipeline.ts'
import type { Codec } from './store/codec.ts'
import { saveCreds } from './store/credentials.ts'
import { createFence } from './store/fence.ts'
import { createInbox } from './store/inbox.ts'
import { createOutgoing } from './store/outgoing.ts'
import { createKeyStore } from './store/signal-keys.ts'

/** How long closing waits for sends in flight, and then for commits: a database may have gone silent. */
const CLOSE_MS = 2_000
/** How long plaintexts and sent messages are kept, for redelivery, retries and quoting. */
const KEEP_MS = 14 * 24 * 3_600_000
/** Baileys' own cache expires after five minutes; the network notifies of changes. */
const DEVICES_MS = 24 * 3_600_000

/** One link: a Baileys socket with its stores, pipelines and senders. */
export function openLink(parts: LinkParts, codec: Codec, creds: LinkCreds, options: LinkOptions): Socket {
  const { config, backpressure, traffic } = parts
  const { id: session, os } = options.session
  const log = options.log.child({ session }, { level: config.log })
  const me = () => ({ id: creds.me?.id ?? '', lid: creds.me?.lid ?? '' })
  const fence = createFence(parts.db, parts.events)
  const { db, events, signal } = fence
  const inbox = createInbox(db, codec, session)
  const outgoing = createOutgoing(db, codec, session)
  const records = parts.records.ofLink()
  const stores = { db, codec, session, inbox, records, cacheBytes: config.cacheBytes }
  const keys = createKeyStore({ ...stores, fence: signal, onFailure: fail })
  const stanzas = createStanzasByCiphertext()
  const devices = createCache(5_000, DEVICES_MS)
  const stored = storedBy({ inbox, outgoing, me, altOf: (jid) => knownAlt(keys, jid) })
  let lastStanzaAt = Date.now()
  let isEnding = false
  let isClosed = false

  const save = (): Promise<void> => keys.track(saveCreds(db, codec, session, creds))

  /** After a failure of the storage no further frame may be sent: a receipt would confirm what is not stored. */
  function fail(error: unknown): void {
    if (!fence.fail(error)) return
    const failure = isGatewayError(error) ? error : gatewayError('INTERNAL', [], { cause: error })
    if (failure.code === 'FENCED') options.log.info({ session }, 'another node serves it, the link is closed')
    else options.log.error({ session, err: error }, 'storage failed, the link is closed')
    outbox.cut(failure)
    wa.ws.emit('error', new Error(reasonOf(error)))
    internalsOf(wa).socket?.terminate()
  }

  const wa = openSocket({
    auth: { creds, keys },
    os,
    network: parts.network,
    devices,
    log,
    keepAliveMs: config.keepAliveMs,
    getMessage: async ({ id }) => {
      // Baileys acknowledges a retry receipt that it can't answer.
      const row = id ? await keys.guarded(outgoing.find(id)) : undefined
      if (!row) return undefined
      traffic.resent += 1
      return outgoing.messageOf(row)
    },
    cachedGroupMetadata: (jid) => groups.get(jid),
    makeSignalRepository: signalRepositoryOf({
      store: keys,
      records,
      creds,
      ready: backpressure.ready,
      stanzaOf: stanzas.of,
      onDecrypted: (hash, received) => void journal.decrypted({ hash, ...received }).catch(fail),
      onFailed(...failed) {
        // Only an error of the cryptography makes a message undecryptable.
        if (signal.aborted) return
        // Tracked: the retry receipt and the ack leave only once it is logged.
        keys.track(journal.failed(...failed)).catch(fail)
      },
    }),
  })
  const shared = { wa, keys, session, events, me, onFailure: fail }
  const journal = createJournal({ ...shared, db, inbox, backpressure, traffic })
  const groups = createGroupCache((jid) => wa.groupMetadata(jid))
  const outbox = createOutbox({
    wa,
    devices,
    outgoing,
    track: keys.track,
    ackTimeoutMs: config.ackTimeoutMs,
    logSent: journal.sent,
    onFailure: fail,
    newsletterUpload: () => newsletterUpload(wa, parts.network.dispatcher),
    queue: config.queue,
    isShared: !parts.peers.isAlone,
    onOutcome: (id) => parts.peers.notify(outcomeTopic(session, id)),
    traffic,
    now: db.now,
    pace: async (chat, signal) => parts.pace?.before({ session, chat, signal }),
    groupOf: (jid) => groups.get(jid),
    logFailed: (failed, ...rest) => events.raise(session, 'message.failed', failed, ...rest),
  })
  const linking = createLinking({
    wa,
    creds,
    times: config,
    handoff: config.passkeyHandoff,
    save,
    onEvent: options.onEvent,
    onFailure: fail,
  })

  const onMessage = (stanza: BinaryNode): Promise<void> | undefined => {
    stanzas.remember(stanza)
    return journal.arrived(stanza)
  }
  const routerParts = { ...shared, onGroupChange: groups.invalidate, linking, stored, onMessage }
  const resumed = journal.resume()
  resumed.catch(fail)
  installPipeline(wa, {
    queryTimeoutMs: config.queryTimeoutMs,
    // A pair that can't be stored is looked up again later; the reply itself must reach its query.
    storeLids: (pairs) => wa.signalRepository.lidMapping.storeLIDPNMappings(pairs).catch(() => undefined),
    onPairDevice: linking.onPairDevice,
    onPairSuccess: linking.onPairSuccess,
    onStanza: stanzaRouter(routerParts),
    onHistory: (part) => void journal.history(part).catch(fail),
    resumed,
    backpressure,
    isOpen: () => wa.ws.isOpen,
    creds,
    sendNode: wa.sendNode,
    acknowledge: (stanza) => wa.sendMessageAck(stanza),
    settled: keys.settled,
    isHeld: options.isHeld,
    onFailure: fail,
  })
  wa.ws.on('frame', () => {
    lastStanzaAt = Date.now()
  })
  forwardEvents({ wa, session, events, log, onFailure: fail })
  const { fetchOptions } = parts.network
  const settings = createSettings({ wa, session, events, fetchOptions, log, onFailure: fail })
  listen(wa, log, 'creds.update', ({ myAppStateKeyId }) => {
    const saved = myAppStateKeyId ? save().then(journal.keysStored) : save()
    saved.catch(fail)
  })
  listen(wa, log, 'connection.update', (update) => {
    const { connection, lastDisconnect, receivedPendingNotifications } = update
    if (connection === 'open') void opened().catch(fail)
    if (receivedPendingNotifications) journal.replay()
    if (connection === 'close' && !isClosed) closed(lastDisconnect?.error)
  })

  // What fails is tried again with the next send or notification, or by the next link.
  const pickUp = (): void => void outbox.pickUp().catch(() => undefined)
  const unlisten = parts.peers.listen(queuedTopic(session), pickUp)

  async function opened(): Promise<void> {
    creds.wasLinked = true
    await save()
    failpoint('link:opened')
    // Before any new send: unfinished messages keep their order in front of new ones.
    outbox.resume(await outgoing.unfinished())
    pickUp()
    void options.onEvent({ type: 'open', jid: me().id, lid: me().lid, name: creds.me?.name ?? '' })
    await resumed
    const expired = Date.now() - KEEP_MS
    await Promise.all([inbox.prune(expired), outgoing.prune(expired)])
  }

  function closed(error: unknown): void {
    isClosed = true
    linking.stop()
    unlisten()
    // Committed before the next link reads what to send: it saves its credentials first, by the same writer.
    if (!isEnding && !signal.aborted && isBrokenOff(error)) outbox.broken().catch(fail)
    outbox.cut()
    const closed = closeReason(error, fence.failure)
    void options.onEvent({ type: 'closed', ...closed, reason: isEnding ? 'stopped' : closed.reason })
  }

  return {
    wa,
    get lastStanzaAt() {
      return lastStanzaAt
    },
    send: (...message) => fence.orFailure(outbox.send(...message)),
    // The next send must use the new members of a group.
    query: (node, ...rest) =>
      fence.orFailure(queryOf(wa)(node, ...rest)).finally(() => groups.invalidate(node)),
    ...settings,
    altJid: (jid) => altJid(wa, jid),
    knownAlt: (jid) => knownAlt(keys, jid),
    stored,
    sendPresence: presenceSenderOf(wa),
    upload: uploadOf(wa),
    outcome: outgoing.outcome,
    ...downloadOf(parts.files, session, wa, config.reuploadTimeoutMs),
    requestHistory: historyRequestOf(wa, config.ackTimeoutMs),
    requestPairingCode: linking.requestCode,
    passkey: linking.passkey,
    logout: logoutOf(wa, creds),
    async end() {
      isEnding = true
      await outbox.close(CLOSE_MS)
      const settled = keys.settled().catch(() => undefined)
      await withTimeout(settled, CLOSE_MS, () => undefined)
      // Closing the connection fails Baileys' open queries at once; its own end() leaves them to their time-outs.
      internalsOf(wa).socket?.terminate()
      await wa.end(undefined)
      if (!isClosed) closed(undefined)
    },
  }
}
