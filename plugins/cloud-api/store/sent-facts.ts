import type { Kernel, Row } from 'wamux/plugin'

/** What an own message offered to choose from, in the order of its poll. */
export interface Choice {
  readonly id: string
  readonly title: string
  readonly description?: string | undefined
  /** As the poll shows it. */
  readonly label: string
}

/** What later webhooks about an own message need. */
export interface Facts {
  readonly kind?: 'button' | 'list' | 'template'
  readonly choices?: readonly Choice[]
  /** `biz_opaque_callback_data` of the request. */
  readonly callback?: string
}

export interface SentFacts {
  /** Stored before the message is sent, so that no answer comes earlier. */
  keep(session: string, message: string, facts: Facts): Promise<void>
  find(session: string, message: string): Promise<Facts | undefined>
}

export function createSentFacts({ db, vault }: Pick<Kernel<unknown>, 'db' | 'vault'>): SentFacts {
  const placeOf = (message: string): string => `cloud_api_sent/${message}`
  return {
    async keep(session, message, facts) {
      const sealed = vault.seal(session, placeOf(message), JSON.stringify(facts))
      const row = { session, message, facts: sealed, logged: Date.now() }
      await db.write([db.put('sent', ['session', 'message'], [row])])
    },
    async find(session, message) {
      const row = await db.read<Row>(db.table('sent')).where({ session, message }).first()
      if (!row) return undefined
      return JSON.parse(vault.open(session, placeOf(message), row['facts'] as Buffer).toString()) as Facts
    },
  }
}
