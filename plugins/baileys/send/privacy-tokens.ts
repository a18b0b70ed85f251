import { createHmac } from 'node:crypto'
import type { BinaryNode, SignalKeyStore, WASocket } from '@whiskeysockets/baileys'
import type { AbProp } from '../app-state/ab-props.ts'
import { areJidsSameUser, jidNormalizedUser } from '../baileys.ts'
import { altJid } from '../protocol/alt-jid.ts'
import { isPerson } from '../protocol/chat-timer.ts'
import type { Me } from '../protocol/signals.ts'
import { isTokenCurrent } from '../signal/baileys-keys.ts'

export interface PrivacyTokenParts {
  wa: WASocket
  keys: Pick<SignalKeyStore, 'get'>
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

/** AB props: tokens with messages, tokens for first contacts. */
const WITH_MESSAGES = 10518
const FIRST_CONTACTS = 24941
/** WhatsApp's own announcements, and bots by number (Baileys Utils/tc-token-utils.js isRegularUser). */
const NO_PERSON = /^(0|1313555\d{4}|131655500\d{2})@/

export function privacyTokenOf({ wa, keys, contactSalt, abProp, me }: PrivacyTokenParts): PrivacyToken {
  const isOwn = (jid: string): boolean =>
    areJidsSameUser(jid, me().id) === true || areJidsSameUser(jid, me().lid) === true

  async function given(jids: readonly string[]): Promise<BinaryNode | undefined> {
    if (!abProp(WITH_MESSAGES, true)) return undefined
    const found = await keys.get('tctoken', [...jids])
    const entry = jids.map((jid) => found[jid]).find((one) => isTokenCurrent(one, abProp))
    return entry && { tag: 'tctoken', attrs: {}, content: entry.token }
  }

  async function forFirstContact(lid: string): Promise<BinaryNode | undefined> {
    const key = lid.endsWith('@lid') && abProp(FIRST_CONTACTS, true) ? await contactSalt() : undefined
    return key && { tag: 'cstoken', attrs: {}, content: createHmac('sha256', key).update(lid).digest() }
  }

  return async (chat) => {
    const jid = jidNormalizedUser(chat)
    if (!isPerson(jid) || NO_PERSON.test(jid) || isOwn(jid)) return undefined
    // Without a LID there is no token for a first contact; the network may still accept the message.
    const lid = jid.endsWith('@lid') ? jid : await altJid(wa, jid).catch(() => '')
    return (await given([lid, jid].filter(Boolean))) ?? (await forFirstContact(lid))
  }
}

/** Identifies a token for comparison; '' for none. */
export function nameOfToken(token: BinaryNode | undefined): string {
  return token ? `${token.tag} ${Buffer.from(token.content as Uint8Array).toString('base64')}` : ''
}
