import type { BaileysEventMap, WASocket } from '@whiskeysockets/baileys'
import type { Write } from 'wamux/plugin'
import { PROCESSABLE_HISTORY_TYPES, proto, unpadRandomMax16 } from '../baileys.ts'
import { envelopeOf, isPeer, type Me } from '../protocol/signals.ts'
import type { Entry, Inbox } from '../store/inbox.ts'

/**
 * Messages of the own phone that Baileys itself works off: keys of the shared settings, history. Stock code
 * receipts them first, and a stop before it is through loses them (Socket/messages-recv.js handleMessage). Their
 * rows stay open until what came of them is stored; the next link hands them to Baileys again.
 */
export interface DeviceSync {
  /** True for a message of this kind. */
  claim(entry: Entry, me: Me): boolean
  /** Closes what Baileys is through with, in the commit of what came of it. */
  keysDone(): Write[]
  historyDone(history: Pick<BaileysEventMap['messaging-history.set'], 'syncType' | 'chunkOrder'>): Write[]
  replay(entry: Entry): void
}

const KEYS = 'keys'

export function createDeviceSync(ws: WASocket['ws'], inbox: Inbox): DeviceSync {
  const open = new Map<string, string>()

  function close(what: string): Write[] {
    const hashes = [...open].filter(([, one]) => one === what).map(([hash]) => hash)
    for (const hash of hashes) open.delete(hash)
    return hashes.map((hash) => inbox.done(hash))
  }

  return {
    claim(entry, me) {
      const what = workOf(entry, me)
      if (what) open.set(entry.hash, what)
      return what !== undefined
    },
    keysDone: () => close(KEYS),
    historyDone: ({ syncType, chunkOrder }) => close(historyOf(syncType, chunkOrder)),
    replay({ stanza, plain }) {
      // Its ciphertext is used up; Baileys takes plaintext of any sender (Utils/decode-wa-message.js).
      const content = Buffer.from(unpadRandomMax16(plain))
      ws.emit('CB:message', { ...stanza, content: [{ tag: 'plaintext', attrs: {}, content }] })
    },
  }
}

function workOf({ stanza, plain }: Entry, me: Me): string | undefined {
  if (!isPeer(stanza) || !envelopeOf(stanza, me).key.fromMe) return undefined
  const { protocolMessage } = proto.Message.decode(unpadRandomMax16(plain))
  if (protocolMessage?.appStateSyncKeyShare?.keys?.length) return KEYS
  const history = protocolMessage?.historySyncNotification
  return history && isWorkedOff(history) ? historyOf(history.syncType, history.chunkOrder) : undefined
}

/** The whole history is not asked for (`syncFullHistory`), and passed over where it comes all the same. */
function isWorkedOff({ syncType }: proto.Message.IHistorySyncNotification): boolean {
  const { FULL } = proto.HistorySync.HistorySyncType
  return PROCESSABLE_HISTORY_TYPES.some((type) => type === syncType) && syncType !== FULL
}

function historyOf(syncType: unknown, chunkOrder: unknown): string {
  return `history ${Number(syncType ?? 0)} ${Number(chunkOrder ?? 0)}`
}
