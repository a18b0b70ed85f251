import { createHmac } from 'node:crypto'
import type { BinaryNode, SignalKeyStore, WASocket } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import type { AbProp } from '../../app-state/ab-props.ts'
import { areJidsSameUser, jidNormalizedUser } from '../../baileys.ts'
import { altJid, knownAlt } from '../../protocol/alt-jid.ts'
import { isPerson } from '../../protocol/chat-timer.ts'
import type { Me } from '../../protocol/signals.ts'
import type { TokenUse } from '../../sdk.ts'
import { isTokenCurrent } from '../../signal/token-keys.ts'

export interface PrivacyTokenParts {
  wa: WASocket
  keys: SignalKeyStore
  /** The account's salt for first contacts; undefined if none is known. */
  contactSalt(): Promise<Uint8Array | undefined>
  abProp: AbProp
  me(): Me
}

/**
 * The node that proves a relation to the recipient; undefined if none is needed or known. WhatsApp refuses a message to a
 * stranger without it (463). It is either the token that the person has given (`tctoken`) or the one for a first contact
 * (`cstoken`): HMAC-SHA-256 of the recipient's LID, keyed with the account's salt (whatsmeow send.go and cstoken.go, zapo
 * client/tokens/cs-token.ts). Baileys is kept from attaching tokens (app-state/ab-props.ts).
 */
export type PrivacyToken = (chat: string) => Promise<BinaryNode | undefined>

export interface PrivacyTokens {
  /** For a message to the chat. */
  readonly ofMessage: PrivacyToken
  /**
   * The valid tokens that people have given, by JID as asked, for a query about them: a contact's access may need one. None
   * if an AB prop says that such queries have no tokens. From local storage only.
   */
  given(jids: readonly string[], use: TokenUse): Promise<ReadonlyMap<string, Uint8Array>>
}

/** AB props: tokens with messages, tokens for first contacts. */
const WITH_MESSAGES = 10518
const FIRST_CONTACTS = 24941
/** AB props of other uses, with the defaults of WhatsApp Web (whatsapp-rust wacore/src/iq/abprops.rs and props.rs). */
const USES: Readonly<Record<TokenUse, readonly [code: number, otherwise: boolean] | undefined>> = {
  picture: [9666, true],
  about: [20798, false],
  newGroup: [11261, false],
  newMember: [11262, false],
  presence: undefined,
}
/** WhatsApp's own announcements, and bots by number (Baileys Utils/tc-token-utils.js isRegularUser). */
const NO_PERSON = /^(0|1313555\d{4}|131655500\d{2})@/

export function createPrivacyTokens(parts: PrivacyTokenParts): PrivacyTokens {
  const { wa, keys, contactSalt, abProp, me } = parts

  async function storedFor(jids: readonly string[]): Promise<Uint8Array | undefined> {
    const found = await keys.get('tctoken', [...jids])
    return jids.map((jid) => found[jid]).find((one) => isTokenCurrent(one, abProp))?.token
  }

  async function forFirstContact(lid: string): Promise<BinaryNode | undefined> {
    const key = Jid.isLid(lid) && abProp(FIRST_CONTACTS, true) ? await contactSalt() : undefined
    return key && { tag: 'cstoken', attrs: {}, content: createHmac('sha256', key).update(lid).digest() }
  }

  return {
    async ofMessage(chat) {
      const jid = jidNormalizedUser(chat)
      if (!takesTokens(jid, me())) return undefined
      // Without a LID there is no token for a first contact; the network may still accept the message.
      const lid = Jid.isLid(jid) ? jid : await altJid(wa, jid).catch(() => '')
      const token = abProp(WITH_MESSAGES, true) ? await storedFor([lid, jid].filter(Boolean)) : undefined
      return token ? { tag: 'tctoken', attrs: {}, content: token } : forFirstContact(lid)
    },
    async given(asked, use) {
      const prop = USES[use]
      const jids = prop && !abProp(...prop) ? [] : asked.filter((jid) => takesTokens(jid, me()))
      const found = jids.map(async (jid) => {
        const lid = Jid.isLid(jid) ? '' : await knownAlt(keys, jid)
        const token = await storedFor([lid, jid].filter(Boolean))
        return token ? [[jid, token] as const] : []
      })
      return new Map((await Promise.all(found)).flat())
    },
  }
}

/** Whether it is the JID of another person: bots and WhatsApp itself have no tokens, and an own one is never answered. */
export function takesTokens(jid: string, me: Me): boolean {
  if (!isPerson(jid) || NO_PERSON.test(jid)) return false
  return areJidsSameUser(jid, me.id) !== true && areJidsSameUser(jid, me.lid) !== true
}

/** Identifies a token for comparison; '' for none. */
export function nameOfToken(token: BinaryNode | undefined): string {
  return token ? `${token.tag} ${Buffer.from(token.content as Uint8Array).toString('base64')}` : ''
}
