import type { BinaryNode } from '@whiskeysockets/baileys'
import type { PluginDb, Vault } from 'wamux/plugin'
import { jidNormalizedUser } from '../baileys.ts'
import type { MessageTimes } from '../protocol/message-times.ts'
import { keptRefusal } from '../protocol/refusal.ts'
import { createCodec } from './codec.ts'
import { createInbox } from './inbox.ts'
import { createOutgoing } from './outgoing.ts'
import type { UnstoredOutcomes } from './unstored-outcomes.ts'

interface Deps {
  db: PluginDb
  vault: Vault
  unstored: UnstoredOutcomes
}

export function createMessageTimes({ db, vault, unstored }: Deps): MessageTimes {
  return {
    async sent(session, id, viewer) {
      await unstored.settled(session, id)
      const row = await createOutgoing(db, createCodec(vault, session), session).find(id)
      if (!row || !(await viewer.seesChat(session, row.chat))) return undefined
      const { chat, state, created, written, ended, timestamp, error } = row
      const { message = '', code = '' } = error ? keptRefusal(error) : {}
      const times = { accepted: created, written, ended, acked: timestamp }
      return { chat, state, ...times, error: message, errorCode: code }
    },
    async received(session, id, viewer) {
      const entries = await createInbox(db, createCodec(vault, session), session).byMessage(id)
      const seen = await Promise.all(entries.map(({ stanza }) => viewer.seesChat(session, chatOf(stanza))))
      const times = entries.filter((_, at) => seen[at]).map(({ received }) => received)
      return times.length > 0 ? Math.min(...times) : undefined
    },
  }
}

/** For a message from an own device, the recipient is the chat. */
function chatOf({ attrs: { from, recipient } }: BinaryNode): string {
  return jidNormalizedUser(recipient ?? from)
}
