import type { BinaryNode, SignalKeyStore, WAMessage, WASocket } from '@whiskeysockets/baileys'
import { child, children, Jid, textOf } from 'wamux/messaging'
import { isLidUser, isPnUser, jidDecode, jidNormalizedUser } from '../baileys.ts'
import { iq, queryOf } from './query.ts'

/**
 * The other form of a person's JID (phone or LID), without device; '' if unknown. Queries the network for a LID that is not
 * stored here, and rejects like a query.
 */
export async function altJid(wa: WASocket, jid: string): Promise<string> {
  const { lidMapping } = wa.signalRepository
  if (Jid.isLid(jid)) return jidNormalizedUser((await lidMapping.getPNForLID(jid)) ?? '')
  if (isPnUser(jid)) await lidMapOf(wa).confirmed(jid)
  const known = await knownAlt(wa.authState.keys, jid)
  return known || !isPnUser(jid) ? known : askLid(wa, jid)
}

async function askLid(wa: WASocket, pn: string): Promise<string> {
  const [found] = await lookUpLids(wa, [pn])
  if (!found) return ''
  await lidMapOf(wa).storeAnswers([found])
  return jidNormalizedUser(found.lid)
}

/** What the driver has in the place of Baileys' store of LIDs (signal/lid-map.ts). */
interface Answered {
  storeAnswers(pairs: readonly FoundLid[]): Promise<void>
  confirmed(pn: string): Promise<void>
}

function lidMapOf(wa: WASocket): Answered {
  return wa.signalRepository.lidMapping as unknown as Answered
}

/** The answer to a look-up of a number. */
export interface FoundLid {
  readonly lid: string
  /** The number of the account. */
  readonly pn: string
  /** The number as it was asked for, which may be another spelling: a Brazilian one with or without the ninth digit. */
  readonly asked: string
}

/**
 * Asks the network for the LIDs of numbers; those that have none are left out. Rejects as a query does. The network corrects a
 * number that it is given as that of a contact, and names the number that it was given beside the answer (zapo
 * SignalDeviceSyncApi.ts). Baileys asks by JID alone, and looks for the same JID in the answer.
 */
export async function lookUpLids(wa: WASocket, pns: readonly string[]): Promise<FoundLid[]> {
  const sid = wa.generateMessageTag()
  const attrs = { sid, mode: 'query', context: 'background', last: 'true', index: '0' }
  const list = pns.map((jid) => {
    const contact = { tag: 'contact', attrs: {}, content: Buffer.from(`+${jidDecode(jid)?.user}`) }
    return { tag: 'user', attrs: { jid }, content: [contact] }
  })
  const content = [
    { tag: 'query', attrs: {}, content: ['contact', 'lid'].map((tag) => ({ tag, attrs: {} })) },
    { tag: 'list', attrs: {}, content: list },
  ]
  const reply = await queryOf(wa)(iq('usync', 'get', { tag: 'usync', attrs, content }), 'look the user up')
  const users = children(child(child(reply, 'usync'), 'list'), 'user')
  return pns.flatMap((asked) => {
    const user = users.find((one) => isAnswerTo(one, asked))
    const lid = child(user, 'lid')?.attrs['val']
    const pn = [user?.attrs['pn_jid'], user?.attrs['jid']].find((jid) => isPnUser(jid)) ?? asked
    return lid ? [{ lid, pn, asked }] : []
  })
}

function isAnswerTo(user: BinaryNode, asked: string): boolean {
  const number = jidDecode(asked)?.user
  const contacts = children(user, 'contact').map((contact) => textOf(contact).replace(/\D/g, ''))
  return contacts.includes(number ?? '') || user.attrs['jid'] === asked
}

/** The name under which another spelling of a number is stored among the LIDs. */
export function correctionOf(user: string): string {
  return `${user}_corrected`
}

/**
 * Like `altJid`, but '' if it is not stored here. For the journal: frames may wait for the journal, so it must not wait for
 * the network, which Signal/lid-mapping.js queries for an unknown LID.
 */
export async function knownAlt(keys: SignalKeyStore, jid: string): Promise<string> {
  const user = jidDecode(jid)?.user
  if (!user || !(isLidUser(jid) || isPnUser(jid))) return ''
  if (isLidUser(jid)) {
    const id = `${user}_reverse`
    const { [id]: number } = await keys.get('lid-mapping', [id])
    return number ? Jid.ofPhone(number) : ''
  }
  const known = await keys.get('lid-mapping', [user, correctionOf(user)])
  const corrected = known[correctionOf(user)]
  const lid = corrected ? (await keys.get('lid-mapping', [corrected]))[corrected] : known[user]
  return lid ? Jid.ofLid(lid) : ''
}

/** The stored LID of a person's chat, or else the chat itself: one name for both forms. */
export async function knownLid(keys: SignalKeyStore, chat: string): Promise<string> {
  const jid = jidNormalizedUser(chat)
  return isPnUser(jid) ? (await knownAlt(keys, jid)) || jid : jid
}

/** Adds the other form of the JID of the sender or of the 1:1 chat, if the stanza lacks it. */
export async function withAlt(keys: SignalKeyStore, message: WAMessage): Promise<WAMessage> {
  const { key } = message
  const chat = key.remoteJid ?? ''
  if (isPnUser(chat) || isLidUser(chat)) {
    // For messages of own devices, Baileys mistakes the sender's other form for the chat's.
    if (!key.fromMe && isOther(chat, key.remoteJidAlt)) return message
    return { ...message, key: { ...key, remoteJidAlt: await knownAlt(keys, chat) } }
  }
  if (key.fromMe || !key.participant || isOther(key.participant, key.participantAlt)) return message
  return { ...message, key: { ...key, participantAlt: await knownAlt(keys, key.participant) } }
}

function isOther(jid: string, alt: string | undefined): boolean {
  return alt !== undefined && alt !== '' && isLidUser(alt) !== isLidUser(jid)
}
