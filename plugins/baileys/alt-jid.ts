import './before.ts'
import {
  isLidUser,
  isPnUser,
  jidDecode,
  jidNormalizedUser,
  type SignalKeyStore,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys'

/** The other form of a person's JID, phone or LID, without device; '' when nobody knows it. May ask the network. */
export async function altJid(wa: WASocket, jid: string): Promise<string> {
  const { lidMapping } = wa.signalRepository
  const other = jid.endsWith('@lid') ? await lidMapping.getPNForLID(jid) : await lidMapping.getLIDForPN(jid)
  return other ? jidNormalizedUser(other) : ''
}

/**
 * As `altJid`, but '' when it is not stored here. For what is being logged: frames may wait for the log, so the log
 * must not wait for an answer of the network (Signal/lid-mapping.js asks it where a LID is unknown).
 */
export async function knownAlt(keys: SignalKeyStore, jid: string): Promise<string> {
  const user = jidDecode(jid)?.user
  if (!user || !(isLidUser(jid) || isPnUser(jid))) return ''
  const id = isLidUser(jid) ? `${user}_reverse` : user
  const { [id]: other } = await keys.get('lid-mapping', [id])
  return other ? `${other}@${isLidUser(jid) ? 's.whatsapp.net' : 'lid'}` : ''
}

/** The message with the other form of whom it is from, or in a 1:1 chat with, where the stanza did not say it. */
export async function withAlt(keys: SignalKeyStore, message: WAMessage): Promise<WAMessage> {
  const { key } = message
  const chat = key.remoteJid ?? ''
  if (isPnUser(chat) || isLidUser(chat)) {
    // Of what own devices send, Baileys takes the sender's other form for the chat's.
    if (!key.fromMe && isOther(chat, key.remoteJidAlt)) return message
    return { ...message, key: { ...key, remoteJidAlt: await knownAlt(keys, chat) } }
  }
  if (key.fromMe || !key.participant || isOther(key.participant, key.participantAlt)) return message
  return { ...message, key: { ...key, participantAlt: await knownAlt(keys, key.participant) } }
}

function isOther(jid: string, alt: string | undefined): boolean {
  return alt !== undefined && alt !== '' && isLidUser(alt) !== isLidUser(jid)
}
