import type { PluginDb, Row, Vault, Write } from 'wamux/plugin'
import type { Person } from './person.ts'

export interface Contact {
  /** The phone JID; the LID if the number is unknown. */
  jid: string
  /** '' when unknown. */
  lid: string
  /** The name under which the account saved the contact. */
  firstName: string
  fullName: string
  /** The name chosen by the person. */
  pushName: string
  businessName: string
  /** Without @; '' when unknown. */
  username: string
}

/** A partial update of a contact; absent fields are not changed. */
export type ContactUpdate = Person & Partial<Omit<Contact, keyof Person>>

export interface Recipient {
  list: string
  jid: string
}

/** The tables of contacts and broadcast lists; rows are sealed and looked up by index. */
export interface ContactStore {
  record(session: string, updates: readonly ContactUpdate[]): Write[]
  all(session: string): Promise<Contact[]>
  find(session: string, jids: readonly string[]): Promise<Contact[]>
  /** The push name of a person, '' when unknown. */
  pushName(session: string, jid: string): Promise<string>
  enlist(session: string, recipients: readonly Recipient[]): Write[]
  /** The recipients of a list, sorted. */
  recipients(session: string, list: string): Promise<string[]>
}

const COLUMNS = {
  jid: 'jid',
  lid: 'lid',
  firstName: 'first_name',
  fullName: 'full_name',
  pushName: 'push_name',
  businessName: 'business_name',
  username: 'username',
} as const satisfies Record<keyof Contact, string>

export function createContactStore({ db, vault }: { db: PluginDb; vault: Vault }): ContactStore {
  const personOf = (session: string, jid: string): string =>
    vault.index(session, 'contacts_people/person', jid)
  const open = ({ session, person, ...row }: Row, column: string): string => {
    const sealed = row[column] as Buffer | null
    return sealed ? vault.open(String(session), `contacts_people/${person}/${column}`, sealed).toString() : ''
  }

  function rowOf(session: string, update: ContactUpdate): Row {
    const person = personOf(session, update.jid)
    const row: Row = { session, person }
    for (const [field, column] of Object.entries(COLUMNS)) {
      const text = update[field as keyof Contact]
      // Without a LID in the update, a stored one is kept.
      if (text === undefined || (field === 'lid' && !text)) continue
      row[column] = vault.seal(session, `contacts_people/${person}/${column}`, text)
    }
    return row
  }

  const toContacts = (rows: readonly Row[]): Contact[] =>
    rows
      .map(
        (row) =>
          Object.fromEntries(
            Object.entries(COLUMNS).map(([field, column]) => [field, open(row, column)]),
          ) as unknown as Contact,
      )
      .sort((a, b) => (a.jid < b.jid ? -1 : 1))
  const rowsOf = (session: string) => db.read<Row>(db.table('people')).where({ session })

  return {
    record(session, updates) {
      const rows = updates.map((update) => rowOf(session, update))
      return rows.length > 0 ? [db.put('people', ['session', 'person'], rows)] : []
    },
    all: async (session) => toContacts(await rowsOf(session)),
    find: async (session, jids) =>
      toContacts(
        await rowsOf(session).whereIn(
          'person',
          jids.map((jid) => personOf(session, jid)),
        ),
      ),
    async pushName(session, jid) {
      const person = personOf(session, jid)
      const row = await rowsOf(session).where({ person }).first()
      return row ? open(row, COLUMNS.pushName) : ''
    },
    enlist(session, recipients) {
      const rows = recipients.map((one) => {
        const list = vault.index(session, 'contacts_lists/list', one.list)
        const person = vault.index(session, 'contacts_lists/person', one.jid)
        return {
          session,
          list,
          person,
          jid: vault.seal(session, `contacts_lists/${list}/${person}`, one.jid),
        }
      })
      return rows.length > 0 ? [db.put('lists', ['session', 'list', 'person'], rows)] : []
    },
    async recipients(session, id) {
      const list = vault.index(session, 'contacts_lists/list', id)
      const rows = await db.read<Row>(db.table('lists')).where({ session, list })
      return rows
        .map(({ person, jid }) =>
          vault.open(session, `contacts_lists/${list}/${person}`, jid as Buffer).toString(),
        )
        .sort()
    },
  }
}
