import { promisify } from 'node:util'
import { unzip } from 'node:zlib'
import type { WAMessage } from '@whiskeysockets/baileys'
import { isGatewayError, reasonOf } from 'wamux/plugin'
import { proto } from '../baileys.ts'
import { isFor, messagesIn, type SharedHistory, sharedIn } from '../protocol/group-history.ts'
import type { Me } from '../protocol/signals.ts'
import type { HistoryPart } from '../socket/history.ts'
import type { InboxMessage } from '../store/inbox.ts'

export interface GroupHistoryParts {
  /** Downloads and decrypts a bundle. */
  fetch(bundle: SharedHistory['bundle'], maxBytes: number): Promise<Buffer>
  abProp(code: number, otherwise: number): number
  me(): Me
  /** Unix milliseconds, in the network's time. */
  now(): number
  warn(details: object, text: string): void
}

/** What a message with a bundle comes to. */
type Reading =
  | { readonly kind: 'history'; readonly part: HistoryPart }
  /** It is not for this account, has expired, or can't be read. */
  | { readonly kind: 'none' }
  /** The media host did not answer: the next link reads it. */
  | { readonly kind: 'later' }

/** Reads what members share of the history of a group that the account has joined. */
export interface GroupHistory {
  /** The bundle in a message; undefined for any other message. */
  sharedIn(message: InboxMessage): SharedHistory | undefined
  read(shared: SharedHistory): Promise<Reading>
}

const MAX_BYTES = 64 * 1024 * 1024
const TWO_WEEKS_S = 14 * 24 * 3600
/** AB props (zapo spec/abprops): for how many seconds a bundle may be read; how old its messages may be. */
const BUNDLE_SECONDS = 25_910
const MESSAGE_SECONDS = 21_313
const NONE: Reading = { kind: 'none' }

export function createGroupHistory({ fetch, abProp, me, now, warn }: GroupHistoryParts): GroupHistory {
  const inflate = promisify(unzip)

  function isKept({ messageTimestamp, ephemeralDuration, ephemeralStartTimestamp }: WAMessage): boolean {
    const time = Number(messageTimestamp ?? 0)
    const begun = Number(ephemeralStartTimestamp ?? 0) || time
    if (ephemeralDuration && (begun + ephemeralDuration) * 1000 <= now()) return false
    // Twice the age that the sender may share: zapo src/client/persistence/group-history.ts.
    return (time + 2 * abProp(MESSAGE_SECONDS, TWO_WEEKS_S)) * 1000 >= now()
  }

  return {
    sharedIn: (message) => sharedIn(message, me()),
    async read(shared) {
      const { bundle, id, group, time } = shared
      const isExpired = now() > (time + abProp(BUNDLE_SECONDS, TWO_WEEKS_S)) * 1000
      if (!isFor(shared, me()) || isExpired) return NONE
      try {
        const sealed = await fetch(bundle, MAX_BYTES)
        const history = await inflate(sealed, { maxOutputLength: MAX_BYTES })
        const messages = messagesIn(history, shared, me()).filter(isKept)
        return messages.length > 0 ? { kind: 'history', part: partOf(id, group, messages) } : NONE
      } catch (error) {
        if (isGatewayError(error) && /^NETWORK_/.test(error.code)) return { kind: 'later' }
        warn(
          { group, id, reason: reasonOf(error) },
          'the history of a group, shared by a member, is not readable',
        )
        return NONE
      }
    },
  }
}

/** It has no type of its own in the history; it is named by its message, like the answer to a request by the request. */
function partOf(id: string, sharedGroup: string, messages: WAMessage[]): HistoryPart {
  const syncType = proto.HistorySync.HistorySyncType.ON_DEMAND
  const none = { chats: [], contacts: [], lidPnMappings: [] }
  return {
    ...none,
    messages,
    syncType,
    progress: 100,
    isLatest: false,
    peerDataRequestSessionId: id,
    sharedGroup,
  }
}
