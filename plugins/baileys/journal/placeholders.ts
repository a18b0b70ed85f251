import type { WAMessage, WASocket } from '@whiskeysockets/baileys'
import { jidDecode, proto } from '../baileys.ts'
import type { MessageSignal } from '../sdk.ts'
import { createCache } from '../socket/cache.ts'

export interface PlaceholderParts {
  wa: Pick<WASocket, 'sendPeerDataOperationMessage'>
  /** The other form of a person's JID, phone or LID; '' when unknown. */
  altOf(jid: string): Promise<string>
}

/** Messages without content here, of which the own phone has a copy. */
export interface Placeholders {
  /** Asks the phone for its copy, once for each message and sender. */
  request(message: WAMessage): void
  /** A copy from the phone, with the sender and chat as the message had them: the phone names them by number. */
  complete(copy: MessageSignal): Promise<MessageSignal>
}

const { PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType
const MAX_IDS = 5_000
/** The age at which WhatsApp Web asks for no message any more (AB prop 3639); the phone may be off for as long. */
const MAX_AGE_MS = 14 * 24 * 3_600_000

/**
 * Not Baileys' requests (Socket/messages-recv.js requestPlaceholderResend): these know a message by its id alone, wait for two
 * seconds, and forget it after eight, while a phone that sleeps takes longer.
 */
export function createPlaceholders({ wa, altOf }: PlaceholderParts): Placeholders {
  /** By id: several senders may use the same. */
  const requested = createCache<WAMessage[]>(MAX_IDS, MAX_AGE_MS)

  async function isOf({ key }: WAMessage, asked: WAMessage): Promise<boolean> {
    const author = authorOf(key)
    const forms = [
      asked.key.participant,
      asked.key.participantAlt,
      asked.key.remoteJid,
      asked.key.remoteJidAlt,
    ]
    const users = forms.map((jid) => userOf(jid)).filter(Boolean)
    return users.includes(userOf(author)) || users.includes(userOf(await altOf(author)))
  }

  return {
    request(message) {
      const { key, messageTimestamp } = message
      const { id, remoteJid = null, fromMe = false, participant } = key
      const isOld = Number(messageTimestamp) * 1000 < Date.now() - MAX_AGE_MS
      const known = requested.get(id ?? '') ?? []
      if (!id || isOld || known.some((one) => authorOf(one.key) === authorOf(key))) return
      requested.set(id, [...known, message])
      const messageKey = { id, remoteJid, fromMe, ...(participant ? { participant } : {}) }
      const request = {
        placeholderMessageResendRequest: [{ messageKey }],
        peerDataOperationRequestType: PLACEHOLDER_MESSAGE_RESEND,
      }
      // A message that comes again is asked for again.
      wa.sendPeerDataOperationMessage(request).catch(() => requested.set(id, known))
    },
    async complete(copy) {
      for (const asked of requested.get(copy.message.key.id ?? '') ?? []) {
        if (!(await isOf(copy.message, asked))) continue
        const { key, pushName, messageTimestamp } = asked
        const message = { ...copy.message, key, messageTimestamp } as WAMessage
        return { ...copy, message: { ...message, pushName: copy.message.pushName || pushName || '' } }
      }
      return copy
    },
  }
}

/** Who wrote it; of an own message to a person, to whom. */
function authorOf({ participant, remoteJid }: WAMessage['key']): string {
  return participant || remoteJid || ''
}

function userOf(jid: string | null | undefined): string {
  return jidDecode(jid ?? '')?.user ?? ''
}
