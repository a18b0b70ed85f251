import type { SignalKeyStore, WAMessage, WASocket } from '@whiskeysockets/baileys'
import { isLidUser, isPnUser, jidDecode, jidNormalizedUser, USyncQuery, USyncUser } from '../baileys.ts'
import { refusalOf } from './refusal.ts'

/**
 * The other form of a person's JID, phone or LID, without device; '' when unknown. Queries the network for a LID that is
 * not stored here, and rejects as a query does.
 */
export async function altJid(wa: WASocket, jid: string): Promise<string> {
  const { lidMapping } = wa.signalRepository
  if (jid.endsWith('@lid')) return jidNormalizedUser((await lidMapping.getPNForLID(jid)) ?? '')
  const known = await knownAlt(wa.authState.keys, jid)
  return known || !isPnUser(jid) ? known : askLid(wa, jid)
}

/** Not Baileys' own look-up, which takes an unanswered query for an unknown user (Signal/lid-mapping.js). */
async function askLid(wa: WASocket, pn: string): Promise<string> {
  const query = new USyncQuery().withLIDProtocol().withUser(new USyncUser().withId(pn))
  const found = await wa.executeUSyncQuery(query).catch((error: unknown) => {
    throw refusalOf(error, 'look the user up')
  })
  const lid = found?.list.find(({ id }) => id === pn)?.['lid']
  if (typeof lid !== 'string' || !lid) return ''
  await wa.signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn }])
  return jidNormalizedUser(lid)
}

/**
 * As `altJid`, but '' when it is not stored here. For the journal: frames may wait for the journal, so it must not wait
 * for a reply of the network, which Signal/lid-mapping.js queries for an unknown LID.
 */
export async function knownAlt(keys: SignalKeyStore, jid: string): Promise<string> {
  const user = jidDecode(jid)?.user
  if (!user || !(isLidUser(jid) || isPnUser(jid))) return ''
  const id = isLidUser(jid) ? `${user}_reverse` : user
  const { [id]: other } = await keys.get('lid-mapping', [id])
  return other ? `${other}@${isLidUser(jid) ? 's.whatsapp.net' : 'lid'}` : ''
}

/** Adds the other form of the JID of a message's sender, or of its 1:1 chat, if the stanza does not have it. */
export async function withAlt(keys: SignalKeyStore, message: WAMessage): Promise<WAMessage> {
  const { key } = message
  const chat = key.remoteJid ?? ''
  if (isPnUser(chat) || isLidUser(chat)) {
    // For messages of own devices Baileys uses the sender's other form as that of the chat.
    if (!key.fromMe && isOther(chat, key.remoteJidAlt)) return message
    return { ...message, key: { ...key, remoteJidAlt: await knownAlt(keys, chat) } }
  }
  if (key.fromMe || !key.participant || isOther(key.participant, key.participantAlt)) return message
  return { ...message, key: { ...key, participantAlt: await knownAlt(keys, key.participant) } }
}

function isOther(jid: string, alt: string | undefined): boolean {
  return alt !== undefined && alt !== '' && isLidUser(alt) !== isLidUser(jid)
}
