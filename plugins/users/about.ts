import { askMex, toMexError } from 'wamux/messaging'
import type { Socket } from 'wamux/plugin'

const SET = { id: '9152604461510864', path: 'xwa2_update_text_status' }
const VERB = 'set the about text'

/**
 * Sets the account's about text, or clears it with ''. The query that Baileys has for it (Socket/chats.js updateProfileStatus) is
 * answered, but may change nothing (whatsmeow#1219). Of the result nothing is known.
 */
export async function setAbout(socket: Socket, text: string): Promise<void> {
  // Without an end.
  const input = { text: text || null, ephemeral_duration_sec: 0 }
  const answer = await askMex(socket, SET, { input }, VERB)
  if ('refusal' in answer) throw toMexError(answer.refusal, VERB)
}
