import type { BinaryNode, proto, SignalKeyStore, WASocket } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import type { AbProp } from '../../app-state/ab-props.ts'
import { getBinaryNodeChild, jidNormalizedUser, normalizeMessageContent } from '../../baileys.ts'
import { altJid, knownAlt } from '../../protocol/alt-jid.ts'
import { iq } from '../../protocol/query.ts'
import type { Me } from '../../protocol/signals.ts'
import { isIssuanceDue, isIssuedCurrent } from '../../signal/token-keys.ts'
import { takesTokens } from './privacy-tokens.ts'

export interface TokenIssuanceParts {
  wa: WASocket
  keys: Pick<SignalKeyStore, 'get'>
  abProp: AbProp
  me(): Me
}

/**
 * Issues the account's privacy tokens, with which others may write to it, see what its contacts see, and add it to groups. The
 * network generates the token and hands it over: the answer contains none (whatsapp-rust#966). A failure has no effect but
 * that the next message issues the token.
 */
export interface TokenIssuance {
  /** A message was sent: issues a token to the person, one per bucket (AB prop 996). */
  sent(chat: string, message: proto.IMessage): Promise<void>
  /**
   * If the identity of a person has changed, as with a new phone, the person has lost the token: it is issued again, with its
   * first time, as long as it is valid (AB props 996 and 997).
   */
  notified(stanza: BinaryNode): Promise<void>
}

/** AB prop: tokens are issued to LIDs. */
const TO_LIDS = 14303

export function createTokenIssuance({ wa, keys, abProp, me }: TokenIssuanceParts): TokenIssuance {
  /** People to whom a token is being issued. */
  const busy = new Set<string>()

  // Baileys also issues one after each refusal with 463, whenever the last one was issued (Socket/messages-recv.js
  // handleBadAck). It reads this setting before each issuance, and logs the error. It gets no further after a message or a
  // change of identity (signal/token-keys.ts).
  Object.defineProperty(wa.serverProps, 'lidTrustedTokenIssueToLid', {
    get() {
      throw new Error('the gateway issues privacy tokens itself')
    },
    set: () => undefined,
  })

  async function issuedAt(name: string): Promise<number | undefined> {
    return (await keys.get('tctoken', [name]))[name]?.senderTimestamp
  }

  async function issue(
    jid: string,
    timeFor: (last: number | undefined) => number | undefined,
  ): Promise<void> {
    if (!takesTokens(jid, me())) return
    const lid = Jid.isLid(jid) ? jid : await altJid(wa, jid)
    const name = lid || jid
    if (busy.has(name)) return
    busy.add(name)
    try {
      const t = timeFor(await issuedAt(name))
      if (t === undefined) return
      const number = Jid.isLid(jid) ? await knownAlt(wa.authState.keys, jid) : jid
      const to = (!abProp(TO_LIDS, false) && number) || name
      const token = { tag: 'token', attrs: { jid: to, t: String(t), type: 'trusted_contact' } }
      await wa.query(iq('privacy', 'set', { tag: 'tokens', attrs: {}, content: [token] }))
      await wa.authState.keys.set({ tctoken: { [name]: { token: Buffer.alloc(0), senderTimestamp: t } } })
    } finally {
      busy.delete(name)
    }
  }

  return {
    async sent(chat, message) {
      if (normalizeMessageContent(message)?.protocolMessage) return
      const now = Math.floor(Date.now() / 1000)
      await issue(jidNormalizedUser(chat), (last) => (isIssuanceDue(last, abProp) ? now : undefined))
    },
    async notified(stanza) {
      const { type, from = '' } = stanza.attrs
      if (type !== 'encrypt' || !getBinaryNodeChild(stanza, 'identity')) return
      const isValid = (last: number | undefined): boolean =>
        last !== undefined && isIssuedCurrent(last, abProp)
      await issue(jidNormalizedUser(from), (last) => (isValid(last) ? last : undefined))
    },
  }
}
