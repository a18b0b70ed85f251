import './before.ts'
import { jidNormalizedUser, type WASocket } from '@whiskeysockets/baileys'

/** The other form of a person's JID, phone or LID, without device; '' when it is not known here. */
export async function altJid(wa: WASocket, jid: string): Promise<string> {
  const { lidMapping } = wa.signalRepository
  const other = jid.endsWith('@lid') ? await lidMapping.getPNForLID(jid) : await lidMapping.getLIDForPN(jid)
  return other ? jidNormalizedUser(other) : ''
}
