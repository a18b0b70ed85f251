import type { SignalKeyStore, WAMessage, WASocket } from '@whiskeysockets/baileys'
import { isLidUser, isPnUser, jidDecode, jidNormalizedUser, USyncQuery, USyncUser } from '../baileys.ts'
import { refusalOf } from './refusal.ts'

/**
 * The other form of a person's JID (phone or LID), without device; '' if unknown. Queries the network for a LID that is not
 * stored here, and rejects like a query.
 */
export async function altJid(wa: WASocket, jid: string): Promise<string> {
  const { lidMapping } = wa.signalRepository
  if (jid.endsWith('@lid')) return jidNormalizedUser((await lidMapping.getPNForLID(jid)) ?? '')
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
  storeAnswers(pairs: readonly { lid: string; pn: string }[]): Promise<void>
  confirmed(pn: string): Promise<void>
}

function lidMapOf(wa: WASocket): Answered {
  return wa.signalRepository.lidMapping as unknown as Answered
}

/** Asks the network for the LIDs of numbers; those that have none are left out. Rejects as a query does. */
export async function lookUpLids(
  wa: WASocket,
  pns: readonly string[],
): Promise<{ lid: string; pn: string }[]> {
  const query = new USyncQuery().withLIDProtocol().withContext('background')
  for (const pn of pns) query.withUser(new USyncUser().withId(pn))
  const found = await wa.executeUSyncQuery(query).catch((error: unknown) => {
    throw refusalOf(error, 'look the user up')
  })
  return pns.flatMap((pn) => {
    const lid = found?.list.find(({ id }) => id === pn)?.['lid']
    return typeof lid === 'string' && lid ? [{ lid, pn }] : []
  })
}

/**
 * Like `altJid`, but '' if it is not stored here. For the journal: frames may wait for the journal, so it must not wait for
 * the network, which Signal/lid-mapping.js queries for an unknown LID.
 */
export async function knownAlt(keys: SignalKeyStore, jid: string): Promise<string> {
  const user = jidDecode(jid)?.user
  if (!user || !(isLidUser(jid) || isPnUser(jid))) return ''
  const id = isLidUser(jid) ? `${user}_reverse` : user
  const { [id]: other } = await keys.get('lid-mapping', [id])
  return other ? `${other}@${isLidUser(jid) ? 's.whatsapp.net' : 'lid'}` : ''
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
