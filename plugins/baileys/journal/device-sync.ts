import type { BaileysEventMap, WASocket } from '@whiskeysockets/baileys'
import type { Write } from 'wamux/plugin'
import { PROCESSABLE_HISTORY_TYPES, proto, unpadRandomMax16 } from '../baileys.ts'
import { envelopeOf, isPeer, type Me } from '../protocol/signals.ts'
import type { Inbox, InboxMessage } from '../store/inbox.ts'

/**
 * Messages from the account's phone that Baileys processes itself: keys of the app state, history. Unpatched Baileys sends
 * the receipt first, and loses them if it is stopped before it has finished (Socket/messages-recv.js handleMessage). Their
 * inbox rows stay open until the result is stored; the next link passes open ones to Baileys again.
 */
export interface DeviceSync {
  /** Whether it is such a message; its row then stays open. */
  claim(message: InboxMessage, me: Me): boolean
  /** Writes that close the rows of finished messages, for the commit of the results. */
  keysDone(): Write[]
  historyDone(history: BaileysEventMap['messaging-history.set']): Write[]
  /** Passes a message of an earlier link to Baileys. */
  replay(message: InboxMessage): void
}

const KEYS = 'keys'

export function createDeviceSync(ws: WASocket['ws'], inbox: Inbox): DeviceSync {
  const open = new Map<string, string>()

  function close(kind: string): Write[] {
    const hashes = [...open].filter(([, one]) => one === kind).map(([hash]) => hash)
    for (const hash of hashes) open.delete(hash)
    return hashes.map((hash) => inbox.done(hash))
  }

  return {
    claim(message, me) {
      const kind = kindOf(message, me)
      if (kind) open.set(message.hash, kind)
      return kind !== undefined
    },
    keysDone: () => close(KEYS),
    historyDone: ({ syncType, chunkOrder, peerDataRequestSessionId }) =>
      close(historyOf({ syncType, chunkOrder, peerDataRequestSessionId })),
    replay({ stanza, plain }) {
      // A ciphertext decrypts only once; Baileys accepts plaintext from any sender (Utils/decode-wa-message.js).
      const content = Buffer.from(unpadRandomMax16(plain))
      ws.emit('CB:message', { ...stanza, content: [{ tag: 'plaintext', attrs: {}, content }] })
    },
  }
}

function kindOf({ stanza, plain }: InboxMessage, me: Me): string | undefined {
  if (!isPeer(stanza) || !envelopeOf(stanza, me).key.fromMe) return undefined
  const { protocolMessage } = proto.Message.decode(unpadRandomMax16(plain))
  if (protocolMessage?.appStateSyncKeyShare?.keys?.length) return KEYS
  const history = protocolMessage?.historySyncNotification
  return history && isProcessed(history) ? historyOf(history) : undefined
}

/** The full history is not requested (`syncFullHistory`), and Baileys ignores it if it arrives anyway. */
function isProcessed({ syncType }: proto.Message.IHistorySyncNotification): boolean {
  const { FULL } = proto.HistorySync.HistorySyncType
  return PROCESSABLE_HISTORY_TYPES.some((type) => type === syncType) && syncType !== FULL
}

/** The request id is part of it: responses to several requests have the same type and chunk. */
function historyOf(history: {
  syncType?: unknown
  chunkOrder?: unknown
  peerDataRequestSessionId?: string | null | undefined
}): string {
  const { syncType, chunkOrder, peerDataRequestSessionId: request } = history
  return `history ${Number(syncType ?? 0)} ${Number(chunkOrder ?? 0)} ${request ?? ''}`
}
