import type { BinaryNode } from '@whiskeysockets/baileys'
import type { LinkOptions, Socket } from 'wamux/plugin'
import { createAbProps } from './app-state/ab-props.ts'
import { createSettings } from './app-state/settings.ts'
import { saveProps } from './app-state/stored-props.ts'
import { createJournal } from './journal/journal.ts'
import { createLearntTimers } from './journal/learnt-timers.ts'
import { followLink } from './lifecycle.ts'
import { downloadOf } from './media/download.ts'
import { createLinking, type LinkCreds } from './pairing/linking.ts'
import { logoutOf } from './pairing/logout.ts'
import type { LinkParts } from './parts.ts'
import { altJid, knownAlt } from './protocol/alt-jid.ts'
import { type Query, queryOf } from './protocol/query.ts'
import { forwardEvents } from './receive/forwarded-events.ts'
import { watchGroups } from './receive/group-timers.ts'
import { stanzaRouter } from './receive/stanza-router.ts'
import { defaultTimerOf } from './send/default-timer.ts'
import { createGroupCache } from './send/group-cache.ts'
import { historyRequestOf } from './send/history-request.ts'
import { newsletterUpload } from './send/newsletter-upload.ts'
import { createOutbox } from './send/outbox.ts'
import { presenceSenderOf } from './send/presence.ts'
import { readReceiptsOf } from './send/read-receipts.ts'
import { outcomeTopic } from './send/remote.ts'
import { createStamp } from './send/stamp.ts'
import { uploadOf } from './send/upload.ts'
import { createDecryptionReports } from './signal/decryption-reports.ts'
import { createKeyStore } from './signal/signal-keys.ts'
import { createStanzasByCiphertext } from './signal/stanza-by-ciphertext.ts'
import { createCache } from './socket/cache.ts'
import { pingOf, watchConnection } from './socket/connection/connection.ts'
import { openSocket } from './socket/open.ts'
import { installPipeline, type PipelineParts } from './socket/pipeline.ts'
import { createChatTimers } from './store/chat-timers.ts'
import type { Codec } from './store/codec.ts'
import { saveCreds } from './store/credentials.ts'
import { createInbox } from './store/inbox.ts'
import { createLinkFailure } from './store/link-failure.ts'
import { createOutgoing } from './store/outgoing.ts'
import { createSecrets } from './store/secrets.ts'
import { createStoredMessages } from './store/stored-messages.ts'
import { watchExpiration } from './web-version/expiration.ts'

/** Baileys' own cache expires after five minutes; the network notifies of changes. */
const DEVICES_MS = 24 * 3_600_000

/** One link: a Baileys socket with its stores, pipelines and senders. */
export function openLink(parts: LinkParts, codec: Codec, creds: LinkCreds, options: LinkOptions): Socket {
  const { config, backpressure, traffic, construction } = parts
  const { id: session, os } = options.session
  const log = options.log.child({ session }, { level: config.log })
  const me = () => ({ id: creds.me?.id ?? '', lid: creds.me?.lid ?? '' })
  const linkFailure = createLinkFailure(parts.db, parts.events)
  const { db, events, signal, fail } = linkFailure
  const inbox = createInbox(db, codec, session)
  const outgoing = createOutgoing(db, codec, session)
  const records = parts.records.ofLink()
  const stores = { db, codec, session, inbox, records, cacheBytes: config.cacheBytes }
  const keys = createKeyStore({ ...stores, signal, onFailure: fail })
  const stanzas = createStanzasByCiphertext()
  const decryptions = createDecryptionReports()
  const groups = createGroupCache()
  const devices = createCache(5_000, DEVICES_MS)
  const altOf = (jid: string): Promise<string> => knownAlt(keys, jid)
  const messages = createStoredMessages({ session, inbox, outgoing, me, altOf })
  const timers = createChatTimers(db, codec, session)
  const learntTimers = createLearntTimers(timers, altOf)
  const save = (): Promise<void> => keys.track(saveCreds(db, codec, session, creds))

  const wa = openSocket({
    auth: { creds, keys },
    os,
    network: parts.network,
    version: parts.version,
    devices,
    log,
    // Who asks for a message again may have made up its id: only what was sent to that chat is encrypted again. Baileys
    // acknowledges a retry receipt that it can't answer.
    getMessage: async ({ remoteJid, id }) => {
      const message = remoteJid && id ? await keys.guarded(messages.sentTo(remoteJid, id)) : undefined
      if (message) traffic.resent += 1
      return message
    },
    groupOf: groups.get,
    makeSignalRepository: construction.repository({
      store: keys,
      records,
      creds,
      ready: backpressure.ready,
      stanzaOf: stanzas.of,
      ...decryptions,
    }),
  })
  const { keepAliveMs, backlog } = config
  const connection = watchConnection({ wa, session, keepAliveMs, backlog, log: options.log, traffic })
  const { gate } = connection
  const shared = { wa, keys, session, events, me, onFailure: fail }
  const secrets = createSecrets(db, parts.vault, session)
  const kept = { db, inbox, secrets, timers: learntTimers }
  const journal = createJournal({ ...shared, ...kept, backpressure, traffic })
  decryptions.listen({
    onDecrypted: (hash, received) => void journal.decrypted({ hash, ...received }).then(gate.enter(), fail),
    onFailed(...failed) {
      // Only an error of the cryptography makes a message undecryptable.
      if (signal.aborted) return
      // Tracked: the retry receipt and the ack leave only once it is logged.
      keys.track(journal.failed(...failed)).catch(fail)
    },
  })
  const outbox = createOutbox({
    wa,
    devices,
    outgoing,
    track: keys.track,
    ackTimeoutMs: config.ackTimeoutMs,
    trialMs: config.trialMs,
    ping: () => wa.query(pingOf()),
    settled: keys.settled,
    logSent: journal.sent,
    onFailure: fail,
    newsletterUpload: () => newsletterUpload(wa, parts.network.dispatcher),
    queue: config.queue,
    isShared: !parts.peers.isAlone,
    onOutcome: (id) => parts.peers.notify(outcomeTopic(session, id)),
    traffic,
    now: db.now,
    stamp: createStamp({
      timers,
      altOf,
      groupOf: (jid) => groups.get(jid, wa.groupMetadata),
      defaultTimer: defaultTimerOf({ wa, timers, db, track: keys.track, me }),
    }),
    pace: async (chat, signal) => parts.pace?.before({ session, chat, signal }),
    groupOf: (jid) => groups.get(jid, wa.groupMetadata),
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
  const routerParts = {
    ...shared,
    onGroupChange: groups.invalidate,
    linking,
    messages,
    timers: learntTimers,
    onMessage,
    outcomes: outbox,
  }
  const resumed = journal.resume()
  resumed.catch(fail)
  const pipeline: PipelineParts = {
    queryTimeoutMs: config.queryTimeoutMs,
    // A pair that can't be stored is looked up again later; the reply itself must reach its query.
    storeLids: (pairs) => wa.signalRepository.lidMapping.storeLIDPNMappings(pairs).catch(() => undefined),
    onPairDevice: linking.onPairDevice,
    onPairSuccess: linking.onPairSuccess,
    onStanza: stanzaRouter(routerParts),
    onHistory: (part) => void journal.history(part).catch(fail),
    resumed,
    onSilence() {
      options.log.warn({ session }, 'the network does not end the queue of what waited')
      journal.replay()
    },
    backpressure,
    gate,
    isOpen: () => wa.ws.isOpen,
    creds,
    sendNode: wa.sendNode,
    acknowledge: (stanza) => wa.sendMessageAck(stanza),
    settled: keys.settled,
    isHeld: options.isHeld,
    onFailure: fail,
  }
  installPipeline(wa, pipeline, construction.stages)
  const props = createAbProps({
    wa,
    stored: parts.props,
    save: (changed) => keys.track(saveProps(db, session, changed)),
    onFailure: fail,
  })
  watchExpiration(wa, parts.version, parts.webVersions)
  watchGroups(wa, learntTimers, (writes) => keys.track(db.write(writes)).catch(fail))
  forwardEvents({ wa, session, events, log, onFailure: fail })
  const { fetchOptions } = parts.network
  const settings = createSettings({ wa, session, events, fetchOptions, log, onFailure: fail })
  const lifecycle = followLink({
    wa,
    options,
    log,
    creds,
    peers: parts.peers,
    linkFailure,
    keys,
    inbox,
    outgoing,
    outbox,
    journal,
    linking,
    connection,
    props,
    me,
    save,
    resumed,
  })

  // The next send must use the new members of a group.
  const query: Query = (node, ...rest) =>
    linkFailure.orFailure(queryOf(wa)(node, ...rest)).finally(() => groups.invalidate(node))

  return {
    wa,
    get lastStanzaAt() {
      return connection.lastFrameAt
    },
    get slow() {
      return gate.slow
    },
    send: (...message) => linkFailure.orFailure(outbox.send(...message)),
    query,
    ...settings,
    ...readReceiptsOf({ wa, session, query, events }),
    altJid: (jid) => altJid(wa, jid),
    knownAlt: altOf,
    message: messages.find,
    sendPresence: presenceSenderOf(wa),
    abProp: props.abProp,
    upload: uploadOf(wa),
    outcome: messages.outcome,
    ...downloadOf(parts.files, session, wa, config.reuploadTimeoutMs),
    requestHistory: historyRequestOf(wa, config.ackTimeoutMs),
    requestPairingCode: linking.requestCode,
    passkey: linking.passkey,
    logout: logoutOf(wa, creds),
    end: lifecycle.end,
  }
}
