import { createHmac } from 'node:crypto'
import { bare, bytes, child, children, el, parseJid, seconds } from '../../stanza.ts'
import type { Account, Stanza } from '../../types.ts'
import type { Proto } from '../messages/compose.ts'
import type { OwnDevice } from './own-device.ts'

/** A token received from another account, and when this one last issued its own to that account. */
export interface HeldToken {
  readonly token: Uint8Array | undefined
  readonly t: number
  readonly issued: number
}

/** The privacy tokens of a phone. */
export interface KnownTokens {
  /** The node for a message to a person: the token received from that person, or one for a first contact. */
  nodesFor(chat: string): Stanza[]
  /** The node for a person to be added to a group: the token received from that person. */
  privacyOf(jid: string): Stanza[]
  /** Issues the recipient of a sent message a token, one per bucket. */
  sent(chat: string, message: Proto): Promise<void>
  /** Handles a notification `privacy_token`. */
  received(notification: Stanza): void
  /** The token of a chat, for the history of a companion. */
  of(chat: string): HeldToken | undefined
}

export function createTokens({ network, account, uplink, slot }: OwnDevice): KnownTokens {
  /** By LID. */
  const held = slot('privacy tokens', () => new Map<string, HeldToken>())
  const none: HeldToken = { token: undefined, t: 0, issued: 0 }

  /** Bots and the account itself need no token. */
  function personOf(chat: string): Account | undefined {
    if (!/@(s\.whatsapp\.net|lid)$/.test(chat)) return undefined
    const person = network.account(bare(chat))
    return person && person.lid !== account.lid && !person.jid.endsWith('@bot') ? person : undefined
  }

  function validOf(person: Account): Uint8Array | undefined {
    const { token, t } = held.get(person.lid) ?? none
    return token && network.isCurrentToken(account, t) ? token : undefined
  }

  return {
    nodesFor(chat) {
      const person = personOf(chat)
      if (!person) return []
      const token = validOf(person)
      if (token) return [el('tctoken', {}, Buffer.from(token))]
      const salt = network.saltOf(account)
      return salt ? [el('cstoken', {}, createHmac('sha256', salt).update(person.lid).digest())] : []
    },
    privacyOf(jid) {
      const person = personOf(jid)
      const token = person && validOf(person)
      return token ? [el('privacy', {}, Buffer.from(token))] : []
    },
    async sent(chat, message) {
      const person = personOf(chat)
      const now = seconds()
      const known = (person && held.get(person.lid)) ?? none
      if (!person || message.protocolMessage || !network.isTokenDue(account, known.issued)) return
      held.set(person.lid, { ...known, issued: now })
      const jid = person.hidesNumber ? person.lid : person.jid
      const token = el('token', { jid, t: now, type: 'trusted_contact' })
      const attrs = { xmlns: 'privacy', type: 'set', to: 's.whatsapp.net' }
      // If this fails, the message is sent nevertheless.
      await uplink.query(el('iq', attrs, [el('tokens', {}, [token])])).catch(() => undefined)
    },
    received(notification) {
      const { from = '', sender_lid: lid = network.account(from)?.lid ?? from } = notification.attrs
      for (const node of children(child(notification, 'tokens'), 'token')) {
        const known = held.get(bare(lid)) ?? none
        const t = Number(node.attrs['t'])
        if (t >= known.t) held.set(bare(lid), { ...known, token: bytes(node), t })
      }
    },
    of: (chat) => held.get(parseJid(chat)?.server === 'lid' ? chat : (network.account(chat)?.lid ?? chat)),
  }
}
