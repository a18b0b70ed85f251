import type { BinaryNode, GroupMetadata } from '@whiskeysockets/baileys'
import { gatewayError, type LinkOptions, type Socket } from 'wamux/plugin'
import { createAbProps } from './app-state/ab-props.ts'
import { createSettingIndexes } from './app-state/setting-indexes.ts'
import { createSettings } from './app-state/settings.ts'
import { saveProps } from './app-state/stored-props.ts'
import { jidDecode } from './baileys.ts'
import { createGroupHistory } from './journal/group-history.ts'
import { createJournal } from './journal/journal.ts'
import { createLearntTimers } from './journal/learnt-timers.ts'
import { createPlaceholders } from './journal/placeholders.ts'
import { followLink } from './lifecycle.ts'
import { downloadOf } from './media/download.ts'
import { createLinking } from './pairing/linking.ts'
import { logoutOf } from './pairing/logout.ts'
import type { LinkParts } from './parts.ts'
import { saltIn } from './patches/nct-salt.ts'
import { altJid, knownAlt, knownLid, lookUpLids } from './protocol/alt-jid.ts'
import type { StoredCreds } from './protocol/credentials.ts'
import { type Query, queryOf } from './protocol/query.ts'
import { envelopeOf } from './protocol/signals.ts'
import { contactChangesOf } from './receive/contact-changes.ts'
import { forwardEvents } from './receive/forwarded-events.ts'
import { watchGroups } from './receive/group-timers.ts'
import { createPrivacyChanges } from './receive/privacy-changes.ts'
import { refreshLids } from './receive/refresh-lids.ts'
import { stanzaRouter } from './receive/stanza-router.ts'
import { additionTargetOf } from './send/addition-target.ts'
import { createAddressSpace, LID_MIGRATED } from './send/address-space.ts'
import { createDefaultTimer } from './send/default-timer.ts'
import { createGroupCache } from './send/group-cache.ts'
import { historyRequestOf } from './send/history-request.ts'
import { createOutbox } from './send/outbox.ts'
import { createOutcomeWait, outcomeTopic } from './send/outcome-wait.ts'
import { createParticipants } from './send/participants.ts'
import { sendToPhoneOf } from './send/peer-message.ts'
import { presenceSenderOf, presenceSubscriberOf } from './send/presence.ts'
import { readReceiptsOf } from './send/read-receipts.ts'
import { createStamp } from './send/stamp.ts'
import { createNewChatRefusals } from './send/tokens/new-chat-refusals.ts'
import { createPrivacyTokens } from './send/tokens/privacy-tokens.ts'
import { createTokenIssuance } from './send/tokens/token-issuance.ts'
import { createUploads } from './send/upload.ts'
import { createDecryptionReports } from './signal/decryption-reports.ts'
import { createLidMap } from './signal/lid-map.ts'
import { createNctSalt } from './signal/nct-salt.ts'
import { createKeyStore } from './signal/signal-keys.ts'
import { createSignedPreKeys } from './signal/signed-prekeys.ts'
import { createStanzasByCiphertext } from './signal/stanza-by-ciphertext.ts'
import { countLogins } from './socket/connection/client-payload.ts'
import { watchConnection } from './socket/connection/connection.ts'
import { pingOf } from './socket/connection/keep-alive.ts'
import { createServerClock } from './socket/connection/server-clock.ts'
import { createAddressed } from './socket/devices/addressed.ts'
import { createDeviceCache } from './socket/devices/device-cache.ts'
import { openSocket } from './socket/open.ts'
import { installPipeline, type SocketPipelineParts } from './socket/pipeline.ts'
import { createRelay } from './socket/relay.ts'
import { createResends } from './socket/retries/resends.ts'
import { createRetryRequests } from './socket/retries/retry-requests.ts'
import { createChatTimers } from './store/chat-timers.ts'
import type { Codec } from './store/codec.ts'
import { saveCreds } from './store/credentials.ts'
import { createInbox } from './store/inbox.ts'
import { createLinkFailure } from './store/link-failure.ts'
import { createOutgoing } from './store/outgoing.ts'
import { createSecrets } from './store/secrets.ts'
import { createStoredMessages } from './store/stored-messages.ts'
import { watchExpiration } from './web-version/expiration.ts'

/**
 * One link: a Baileys socket with its stores, pipelines and senders.
 *
 * States: opening (from this call on), open (logged in), closed for good: the next one is built from the stored rows.
 *
 * Transitions (lifecycle.ts): opening to open when the network accepts the login; opening or open to closed by the network,
 * by `end`, or by the first failure of the storage.
 *
 * Invariants:
 * - Everything is wired synchronously, so the journal and the pipeline are in place before the first stanza arrives. Parts
 *   that the socket is made with and that need it themselves (`props`, `lids`, `decryptions`, `resends`) are given it
 *   afterwards.
 * - Queued writes go through `linkFailure.db` and `linkFailure.events`: after the first failure of the storage, nothing that
 *   is not yet committed is written, and no frame leaves.
 * - A frame waits for all writes that `keys` has tracked so far. A message is acknowledged after its plaintext is stored,
 *   and any other journalled stanza after it is logged.
 */
export function openLink(parts: LinkParts, codec: Codec, creds: StoredCreds, options: LinkOptions): Socket {
  const { config, backpressure, traffic, unstored, construction } = parts
  const { id: session, os } = options.session
  const log = options.log.child({ session }, { level: config.log })
  const me = () => ({ id: creds.me?.id ?? '', lid: creds.me?.lid ?? '' })

  // The stores.
  const linkFailure = createLinkFailure(parts.db, parts.events, log)
  const { db, events, signal, fail, received, isOfContent } = linkFailure
  const inbox = createInbox(db, codec, session)
  const outgoing = createOutgoing(db, codec, session)
  const records = parts.records.ofLink()
  const stores = { db, codec, session, inbox, records, cacheBytes: config.cacheBytes }
  const keys = createKeyStore({ ...stores, signal, onFailure: fail })
  const altOf = (jid: string): Promise<string> => knownAlt(keys, jid)
  const messages = createStoredMessages({ session, inbox, outgoing, unstored, me, altOf })
  const sentChats = parts.sentChats.ofSession(session, outgoing)
  const timers = createChatTimers(db, codec, session)
  const learntTimers = createLearntTimers(timers, altOf)
  const secrets = createSecrets(db, parts.vault, session)
  const salt = createNctSalt({ keys, isNew: !creds.processedHistoryMessages?.length })
  const save = (): Promise<void> => keys.track(saveCreds(db, codec, session, creds))

  // What the socket is made with.
  const stanzas = createStanzasByCiphertext()
  const decryptions = createDecryptionReports()
  const groups = createGroupCache()
  const devices = createDeviceCache()
  const lids = createLidMap(keys, (owner) => {
    devices.forget(owner.pn)
    events.raise(session, 'number.owner', owner).catch(received)
  })
  const addressed = createAddressed()
  const props = createAbProps({
    stored: parts.props,
    save: (changed) => keys.track(saveProps(db, session, changed)),
    onFailure: fail,
  })
  // The requester may have made up the id: only messages sent to that chat are encrypted again. Baileys acknowledges a
  // retry receipt that it can't answer.
  const resends = createResends(async ({ remoteJid, id }) => {
    const message = remoteJid && id ? await keys.guarded(messages.sentTo(remoteJid, id)) : undefined
    if (message) traffic.resent += 1
    return message
  })

  // The socket, given to the parts that it was made with.
  const wa = openSocket({
    auth: { creds, keys },
    client: {
      os,
      phone: jidDecode(creds.me?.id)?.user ?? '',
      logins: creds.logins ?? 0,
      attempts: parts.attempts.count,
      isLidMigrated: creds.isLidMigrated === true || props.abProp(LID_MIGRATED, false),
    },
    network: parts.network,
    version: parts.version,
    devices,
    log,
    resends,
    addressed,
    groupOf: groups.get,
    makeSignalRepository: construction.repository({
      store: keys,
      lids,
      records,
      creds,
      abProp: props.abProp,
      ready: backpressure.ready,
      stanzaOf: stanzas.of,
      ...decryptions,
    }),
  })
  props.connect(wa)
  // Where a LID can't be queried, the number is used: no encryption or decryption waits for a second query.
  lids.connect((pns) => lookUpLids(wa, pns).catch(() => []))
  const relay = createRelay(wa, me)

  // Receiving.
  const clock = createServerClock(wa)
  const connection = watchConnection({ ...config, wa, session, clock, log: options.log, traffic })
  const { gate } = connection
  const shared = { wa, keys, session, events, me, isOfContent, onFailure: received }
  const placeholders = createPlaceholders({ wa, altOf })
  const askPhone = (stanza: BinaryNode): void => placeholders.request(envelopeOf(stanza, me()))
  const retryRequests = createRetryRequests({ wa, creds, askPhone })
  const groupHistory = createGroupHistory({
    fetch: (...bundle) => parts.files.fetch(session, 'group-history', ...bundle),
    abProp: props.abProp,
    me,
    now: clock.now,
    warn: (details, text) => log.warn(details, text),
  })
  const { fetchOptions } = parts.network
  const sendToPhone = sendToPhoneOf(wa, config.ackTimeoutMs)
  const indexes = createSettingIndexes(db, parts.vault, session)
  const own = { indexes, abProp: props.abProp, onSalt: salt.ofSettings }
  const settings = createSettings({ ...shared, ...own, fetchOptions, log, sendToPhone, save })
  const kept = { db, inbox, secrets, outgoing, timers: learntTimers }
  const groupOf = (jid: string): Promise<GroupMetadata> => groups.get(jid, wa.groupMetadata)
  const asked = { placeholders, groupHistory, restored: settings.restored, groupOf }
  const journal = createJournal({ ...shared, ...kept, ...asked, backpressure, traffic, log: options.log })
  decryptions.listen({
    onDecrypted: (hash, message) =>
      void journal.decrypted({ hash, ...message }).then(gate.enter(message.stanza), received),
    onFailed(stanza, ciphertext, error) {
      // Only a cryptographic error makes a message undecryptable, not a storage failure.
      if (signal.aborted) return
      retryRequests.failed(stanza, error)
      // Tracked: the retry receipt and the ack leave only after it is logged.
      keys.track(journal.failed(stanza, ciphertext, error)).catch(received)
    },
  })

  // What is sent to whom.
  const contactSalt = (): Promise<Uint8Array | undefined> =>
    salt.get(() => settings.pull('regular_high', true))
  const privacyTokens = createPrivacyTokens({ wa, keys, contactSalt, abProp: props.abProp, me })
  const { ofMessage: privacyToken, given: givenTokens } = privacyTokens
  const tokenIssuance = createTokenIssuance({ wa, keys, abProp: props.abProp, me })
  const space = createAddressSpace({
    creds,
    abProp: props.abProp,
    me,
    altJid: (jid) => altJid(wa, jid),
    lids,
    save,
    onFailure: fail,
  })
  const devicesOf = { devices, addressed, groupOf, forgetGroup: groups.drop }
  const participants = createParticipants({ wa, relay, privacyToken, me, ...devicesOf })
  // The next send must use the group's new members.
  const query: Query = (node, ...rest) =>
    linkFailure.orFailure(queryOf(wa)(node, ...rest)).finally(() => groups.invalidate(node))
  const defaultTimer = createDefaultTimer({ wa, query, timers, db, track: keys.track, me })
  const uploads = createUploads(wa, () => parts.network.dispatcher)
  const outbox = createOutbox({
    wa,
    relay,
    privacyToken,
    space,
    noteChat: sentChats.note,
    issueToken: (chat, message) => void tokenIssuance.sent(chat, message).catch(() => undefined),
    participants,
    refusals: createNewChatRefusals({
      wa,
      privacyToken,
      pullSalt: () => settings.pull('regular_high', false),
    }),
    devices,
    outgoing,
    track: keys.track,
    ackTimeoutMs: config.ackTimeoutMs,
    trialMs: config.trialMs,
    ping: () => wa.query(pingOf()),
    settled: keys.settled,
    logSent: journal.sent,
    onFailure: fail,
    builder: () => ({ userJid: wa.user?.id ?? '', uploads }),
    queue: config.queue,
    isShared: !parts.peers.isAlone,
    onAnswered: (id, stored) => unstored.add(session, id, stored),
    onOutcome: (id) => parts.peers.notify(outcomeTopic(session, id)),
    notOwned: () => gatewayError('NOT_OWNED', [], { details: session }),
    ...(parts.peers.isAlone
      ? {}
      : { outcomeOf: createOutcomeWait({ session, outgoing, peers: parts.peers }) }),
    traffic,
    now: db.now,
    stamp: createStamp({ timers, altOf, groupOf, defaultTimer: defaultTimer.read }),
    pace: async (chat, signal) => parts.pace?.before({ session, chat, signal }),
    groupOf,
    logFailed: (failed, ...rest) => events.raise(session, 'message.failed', failed, ...rest),
  })

  // Pairing.
  const linking = createLinking({
    wa,
    creds,
    os,
    times: config,
    handoff: config.passkeyHandoff,
    save,
    onEvent: options.onEvent,
    onFailure: fail,
  })

  // Everything is in place: what arrives passes through the pipeline, entries of the last link first.
  const onMessage = (stanza: BinaryNode): ReturnType<typeof journal.arrived> => {
    stanzas.remember(stanza)
    return journal.arrived(stanza)
  }
  const readReceipts = readReceiptsOf({ wa, session, query, events })
  const { privacy } = readReceipts
  const privacyChanges = createPrivacyChanges({ session, creds, save, privacy, events, log: options.log })
  const routerParts = {
    ...shared,
    onGroupChange: groups.invalidate,
    onIdentityChange: lids.confirm,
    onDevicesChange: (stanza: BinaryNode): void => devices.invalidate(stanza, me()),
    linking,
    messages,
    sentTo: sentChats.of,
    timers: learntTimers,
    privacyChanges,
    onContactChange: contactChangesOf(lids, tokenIssuance),
    onMessage,
    outcomes: outbox,
  }
  const resumed = journal.resume()
  resumed.catch(received)
  const isOpen = (): boolean => wa.ws.isOpen
  const pipeline: SocketPipelineParts = {
    queryTimeoutMs: config.queryTimeoutMs,
    // A pair that can't be stored is looked up again later; the reply itself must still reach its query.
    storeLids: (pairs) => lids.storeAnswers(pairs).catch(() => undefined),
    onGroupsChanged: groups.clear,
    onPairDevice: linking.onPairDevice,
    onPairSuccess: linking.onPairSuccess,
    onStanza: stanzaRouter(routerParts),
    onHistory(part) {
      // In this order: the salt is committed no later than the part.
      const told = salt.ofHistory(saltIn(part)).then(() => journal.history(part))
      told.catch(received)
    },
    resumed,
    onSilence() {
      options.log.warn({ session }, 'the network does not announce the end of the offline queue')
      journal.replay()
    },
    backpressure,
    gate,
    isOpen,
    resends: resends.stageOf({
      privacyToken,
      address: space.address,
      relay,
      isOpen,
      limit: parts.resendLimit,
      nameOf: (chat) => knownLid(keys, chat),
    }),
    creds,
    sendNode: wa.sendNode,
    query: wa.query,
    acknowledge: (stanza) => wa.sendMessageAck(stanza),
    settled: keys.settled,
    isHeld: options.isHeld,
    onFailure: received,
  }
  installPipeline(wa, pipeline, construction.stages)
  refreshLids(wa, lids)
  watchExpiration(wa, parts.version, parts.webVersions)
  watchGroups(wa, learntTimers, (writes) => keys.track(db.write(writes)).catch(fail))
  forwardEvents({ wa, session, events, log, onFailure: received })
  countLogins({ wa, creds, attempts: parts.attempts, save, onFailure: fail })
  const signedPreKeys = createSignedPreKeys({ creds, save, query: wa.query, now: clock.now })
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
    signedPreKeys,
    privacyChanges,
    settings,
    me,
    save,
    resumed,
  })

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
    modify: settings.modify,
    refetch: settings.refetch,
    ...readReceipts,
    setDefaultTimer: defaultTimer.set,
    altJid: (jid) => altJid(wa, jid),
    knownAlt: altOf,
    message: messages.find,
    additionTarget: additionTargetOf({ session, secrets, messages, me, altOf }),
    sendPresence: presenceSenderOf(wa),
    subscribePresence: presenceSubscriberOf(wa, givenTokens),
    givenTokens,
    abProp: props.abProp,
    upload: uploads.part,
    uploadOpen: uploads.open,
    outcome: messages.outcome,
    ...downloadOf(parts.files, session, wa, config.reuploadTimeoutMs),
    requestHistory: historyRequestOf(wa, sendToPhone),
    requestPairingCode: linking.requestCode,
    passkey: linking.passkey,
    logout: logoutOf(wa, creds),
    end: lifecycle.end,
  }
}
