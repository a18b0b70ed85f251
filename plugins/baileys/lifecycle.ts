import type { WASocket } from '@whiskeysockets/baileys'
import {
  failpoint,
  gatewayError,
  isGatewayError,
  type LinkOptions,
  type Log,
  reasonOf,
  withTimeout,
} from 'wamux/plugin'
import type { AbProps } from './app-state/ab-props.ts'
import type { Journal } from './journal/journal.ts'
import type { LinkCreds, Linking } from './pairing/linking.ts'
import type { LinkParts } from './parts.ts'
import { closeReason, isBrokenOff } from './protocol/close-reason.ts'
import type { Me } from './protocol/signals.ts'
import type { Outbox } from './send/outbox.ts'
import { queuedTopic } from './send/remote.ts'
import type { KeyStore } from './signal/signal-keys.ts'
import type { Connection } from './socket/connection/connection.ts'
import { internalsOf } from './socket/internals.ts'
import { listen } from './socket/logger.ts'
import type { Inbox } from './store/inbox.ts'
import type { LinkFailure } from './store/link-failure.ts'
import type { Outgoing } from './store/outgoing.ts'

/** How long closing waits for sends in flight, and then for commits: a database may have gone silent. */
const CLOSE_MS = 2_000
/** How long plaintexts and sent messages are kept, for redelivery, retries and quoting. */
const KEEP_MS = 14 * 24 * 3_600_000

export interface LifecycleParts {
  wa: WASocket
  options: LinkOptions
  /** Baileys' own. */
  log: Log
  creds: LinkCreds
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
  me(): Me
  /** Resolves when the credentials are committed. */
  save(): Promise<void>
  /** Resolves when what the last link left behind is on its way into the log. */
  resumed: Promise<void>
}

/** Follows a link from its opening to its end, and reports both. */
export function followLink(parts: LifecycleParts): { end(): Promise<void> } {
  const { wa, options, log, creds, linkFailure, keys, inbox, outgoing, outbox } = parts
  const { journal, linking, connection, props, me, save, resumed } = parts
  const { signal, fail } = linkFailure
  const session = options.session.id
  let isEnding = false
  let isClosed = false

  // What fails is tried again with the next send or notification, or by the next link.
  const pickUp = (): void => void outbox.pickUp().catch(() => undefined)
  const unlisten = parts.peers.listen(queuedTopic(session), pickUp)

  async function opened(): Promise<void> {
    creds.wasLinked = true
    await save()
    failpoint('link:opened')
    // Before any new send: unfinished messages keep their order in front of new ones.
    await outbox.resume()
    pickUp()
    void options.onEvent({ type: 'open', jid: me().id, lid: me().lid, name: creds.me?.name ?? '' })
    await resumed
    const expired = Date.now() - KEEP_MS
    await Promise.all([inbox.prune(expired), outgoing.prune(expired)])
  }

  function closed(error: unknown): void {
    isClosed = true
    connection.close()
    props.close()
    linking.stop()
    unlisten()
    // Committed before the next link reads what to send: it saves its credentials first, by the same writer.
    if (!isEnding && !signal.aborted) outbox.ended(isBrokenOff(error)).catch(fail)
    outbox.cut()
    const closed = closeReason(error, linkFailure.failure)
    void options.onEvent({ type: 'closed', ...closed, reason: isEnding ? 'stopped' : closed.reason })
  }

  /** After a failure of the storage no further frame may be sent: a receipt would confirm what is not stored. */
  linkFailure.onFailed((error) => {
    const failure = isGatewayError(error) ? error : gatewayError('INTERNAL', [], { cause: error })
    if (failure.code === 'FENCED') options.log.info({ session }, 'another node serves it, the link is closed')
    else options.log.error({ session, err: error }, 'storage failed, the link is closed')
    outbox.cut(failure)
    wa.ws.emit('error', new Error(reasonOf(error)))
    internalsOf(wa).socket?.terminate()
  })
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

  return {
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
