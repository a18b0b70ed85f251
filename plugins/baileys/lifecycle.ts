import type { WASocket } from '@whiskeysockets/baileys'
import {
  createInterval,
  failpoint,
  gatewayError,
  isGatewayError,
  type LinkOptions,
  type Log,
  reasonOf,
  withTimeout,
} from 'wamux/plugin'
import type { AbProps } from './app-state/ab-props.ts'
import type { AccountSettings } from './app-state/settings.ts'
import type { Journal } from './journal/journal.ts'
import type { Linking } from './pairing/linking.ts'
import type { LinkParts } from './parts.ts'
import { closeReason, isBrokenOff } from './protocol/close-reason.ts'
import type { StoredCreds } from './protocol/credentials.ts'
import type { Me } from './protocol/signals.ts'
import type { PrivacyChanges } from './receive/privacy-changes.ts'
import type { Outbox } from './send/outbox.ts'
import { queuedTopic } from './send/remote.ts'
import type { KeyStore } from './signal/signal-keys.ts'
import type { SignedPreKeys } from './signal/signed-prekeys.ts'
import type { Connection } from './socket/connection/connection.ts'
import { internalsOf } from './socket/internals.ts'
import { listen } from './socket/logger.ts'
import type { Inbox } from './store/inbox.ts'
import type { LinkFailure } from './store/link-failure.ts'
import type { Outgoing } from './store/outgoing.ts'

/** How long closing waits for sends in flight, and then for commits: the database may no longer answer. */
const CLOSE_MS = 2_000
const ROTATION_CHECK_MS = 6 * 3_600_000
/** How long plaintexts and sent messages are kept for redelivery, retries and quotes. */
const KEEP_MS = 14 * 24 * 3_600_000

export interface LifecycleParts {
  wa: WASocket
  options: LinkOptions
  /** Baileys' log. */
  log: Log
  creds: StoredCreds
  peers: LinkParts['peers']
  linkFailure: LinkFailure
  keys: KeyStore
  inbox: Inbox
  outgoing: Outgoing
  outbox: Outbox
  journal: Journal
  linking: Linking
  connection: Connection
  props: AbProps
  signedPreKeys: SignedPreKeys
  privacyChanges: Pick<PrivacyChanges, 'resume' | 'stop'>
  settings: Pick<AccountSettings, 'keysShared' | 'resume'>
  me(): Me
  /** Resolves when the credentials are committed. */
  save(): Promise<void>
  /** Resolves when the entries left by the last link are on their way into the log. */
  resumed: Promise<void>
}

/** Follows a link from its opening to its end, and reports both. */
export function followLink(parts: LifecycleParts): { end(): Promise<void> } {
  const { wa, options, log, creds, linkFailure, keys, inbox, outgoing, outbox } = parts
  const { journal, linking, connection, props, signedPreKeys, privacyChanges } = parts
  const { settings, me, save, resumed } = parts
  const { signal, fail } = linkFailure
  const session = options.session.id
  let isEnding = false
  let isClosed = false

  // A failed pick-up is repeated by the next send or notification, or by the next link.
  const pickUp = (): void => void outbox.pickUp().catch(() => undefined)
  const unlisten = parts.peers.listen(queuedTopic(session), pickUp)

  // Also on a link that stays open for weeks.
  const rotation = createInterval(ROTATION_CHECK_MS, signedPreKeys.rotateIfDue, fail)

  async function opened(): Promise<void> {
    creds.wasLinked = true
    await save()
    failpoint('link:opened')
    // Before any new send: unfinished messages go first.
    await outbox.resume()
    pickUp()
    void options.onEvent({ type: 'open', jid: me().id, lid: me().lid, name: creds.me?.name ?? '' })
    if (!isClosed) rotation.start()
    privacyChanges.resume()
    await resumed
    const expired = Date.now() - KEEP_MS
    await Promise.all([inbox.prune(expired), outgoing.prune(expired)])
  }

  function closed(error: unknown): void {
    isClosed = true
    connection.close()
    void rotation.stop()
    props.close()
    privacyChanges.stop()
    linking.stop()
    unlisten()
    // Committed before the next link reads its unfinished rows: that link first saves its credentials through the same
    // writer.
    if (!isEnding && !signal.aborted) outbox.ended(isBrokenOff(error)).catch(fail)
    outbox.cut()
    const closed = closeReason(error, linkFailure.failure)
    void options.onEvent({ type: 'closed', ...closed, reason: isEnding ? 'stopped' : closed.reason })
  }

  /** After a storage failure no further frame may be sent: a receipt would confirm a message that is not stored. */
  linkFailure.onFailed((error) => {
    const failure = isGatewayError(error) ? error : gatewayError('INTERNAL', [], { cause: error })
    if (failure.code === 'FENCED')
      options.log.info({ session }, 'link closed: another node serves the session')
    else options.log.error({ session, err: error }, 'link closed: the storage failed')
    outbox.cut(failure)
    wa.ws.emit('error', new Error(reasonOf(error)))
    internalsOf(wa).socket?.terminate()
  })
  listen(wa, log, 'creds.update', ({ myAppStateKeyId }) => {
    const saved = myAppStateKeyId ? settings.keysShared().then(save).then(journal.keysStored) : save()
    saved.catch(fail)
  })
  listen(wa, log, 'connection.update', (update) => {
    const { connection, lastDisconnect, receivedPendingNotifications } = update
    if (connection === 'open') void opened().catch(fail)
    if (receivedPendingNotifications) {
      journal.replay()
      settings.resume()
    }
    if (connection === 'close' && !isClosed) closed(lastDisconnect?.error)
  })

  return {
    async end() {
      isEnding = true
      await outbox.close(CLOSE_MS)
      const settled = keys.settled().catch(() => undefined)
      await withTimeout(settled, CLOSE_MS, () => undefined)
      // Terminating the connection fails Baileys' open queries immediately; its own end() leaves them to their time-outs.
      internalsOf(wa).socket?.terminate()
      await wa.end(undefined)
      if (!isClosed) closed(undefined)
    },
  }
}
