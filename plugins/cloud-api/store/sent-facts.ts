import { Jid } from 'wamux/messaging'
import type { GatewayEvents, Kernel, Row } from 'wamux/plugin'

/** A choice offered by an own message, in the order of its poll. */
export interface Choice {
  readonly id: string
  readonly title: string
  readonly description?: string | undefined
  /** As shown in the poll. */
  readonly label: string
}

/** Data that later webhooks about an own message need. */
export interface Facts {
  readonly kind?: 'button' | 'list' | 'template'
  readonly choices?: readonly Choice[]
  /** Its text numbered them, so the answer is also a text. */
  readonly isNumbered?: boolean
  /** JID of the recipient; absent for a message of an earlier version. */
  readonly chat?: string
  /** `biz_opaque_callback_data` of the request. */
  readonly callback?: string
}

/** A chat in the form of events. */
export type ChatForms = Pick<GatewayEvents['Message']['message']['chat'], 'jid' | 'phone' | 'lid'>

export interface SentFacts {
  /** Stored before the message is sent, so that no answer arrives earlier. */
  keep(session: string, message: string, facts: Facts): Promise<void>
  /** @param chat to which the message supposedly belongs: people in other chats may also name its id */
  find(session: string, message: string, chat: ChatForms): Promise<Facts | undefined>
}

export function createSentFacts({ db, vault }: Pick<Kernel<unknown>, 'db' | 'vault'>): SentFacts {
  const placeOf = (message: string): string => `cloud_api_sent/${message}`
  return {
    async keep(session, message, facts) {
      const sealed = vault.seal(session, placeOf(message), JSON.stringify(facts))
      const row = { session, message, facts: sealed, logged: Date.now() }
      await db.write([db.put('sent', ['session', 'message'], [row])])
    },
    async find(session, message, { jid, phone, lid }) {
      const row = await db.read<Row>(db.table('sent')).where({ session, message }).first()
      if (!row) return undefined
      const sealed = row['facts'] as Buffer
      const facts = JSON.parse(vault.open(session, placeOf(message), sealed).toString()) as Facts
      const forms = [jid, lid, Jid.ofPhone(phone)]
      return facts.chat === undefined || forms.includes(facts.chat) ? facts : undefined
    },
  }
}
