import type { BaileysEventMap, WASocket } from '@whiskeysockets/baileys'
import type { Write } from 'wamux/plugin'
import { PROCESSABLE_HISTORY_TYPES, proto, unpadRandomMax16 } from '../baileys.ts'
import { envelopeOf, isPeer, type Me } from '../protocol/signals.ts'
import type { Entry, Inbox } from '../store/inbox.ts'

/**
 * Messages of the own phone that Baileys itself processes: keys of the app state, history. Unpatched Baileys sends the
 * receipt first, and a stop before it has finished loses them (Socket/messages-recv.js handleMessage). Their inbox rows
 * stay open until the result is stored; the next link passes them to Baileys again.
 */
export interface DeviceSync {
  /** Whether the entry is such a message; its row then stays open. */
  claim(entry: Entry, me: Me): boolean
  /** The writes that close the rows Baileys has finished, for the commit of its results. */
  keysDone(): Write[]
  historyDone(history: BaileysEventMap['messaging-history.set']): Write[]
  /** Passes an entry of an earlier link to Baileys. */
  replay(entry: Entry): void
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
    claim(entry, me) {
      const kind = kindOf(entry, me)
      if (kind) open.set(entry.hash, kind)
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

function kindOf({ stanza, plain }: Entry, me: Me): string | undefined {
  if (!isPeer(stanza) || !envelopeOf(stanza, me).key.fromMe) return undefined
  const { protocolMessage } = proto.Message.decode(unpadRandomMax16(plain))
  if (protocolMessage?.appStateSyncKeyShare?.keys?.length) return KEYS
  const history = protocolMessage?.historySyncNotification
  return history && isProcessed(history) ? historyOf(history) : undefined
}

/** The full history is not requested (`syncFullHistory`), and Baileys ignores it if it comes anyway. */
function isProcessed({ syncType }: proto.Message.IHistorySyncNotification): boolean {
  const { FULL } = proto.HistorySync.HistorySyncType
  return PROCESSABLE_HISTORY_TYPES.some((type) => type === syncType) && syncType !== FULL
}

/** Answers to several requests have the same type and chunk. */
function historyOf(history: {
  syncType?: unknown
  chunkOrder?: unknown
  peerDataRequestSessionId?: string | null | undefined
}): string {
  const { syncType, chunkOrder, peerDataRequestSessionId: request } = history
  return `history ${Number(syncType ?? 0)} ${Number(chunkOrder ?? 0)} ${request ?? ''}`
}
