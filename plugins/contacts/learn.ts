import type { PluginDb, Recording, Row, Signal } from 'wamux/plugin'
import { isPerson, PERSON_KEY, personOf, rowOf } from './person.ts'

interface Deps {
  db: PluginDb
}

/** The phone's history: who there is, by which name of their own, and who is on which broadcast list. */
export function ofHistory(
  { session, data }: Signal<'baileys.messaging-history.set'>,
  { db }: Deps,
): Recording {
  const phones = new Map((data.lidPnMappings ?? []).map(({ lid, pn }) => [lid, pn]))
  const people = data.contacts
    .filter(({ id }) => isPerson(id))
    .map(({ id, lid, phoneNumber, ...known }) => {
      const alt = (id.endsWith('@lid') ? (phoneNumber ?? phones.get(id)) : lid) ?? ''
      // A name in the history is the chat's title: the number itself, where nobody saved one.
      return rowOf(session, personOf(id, alt), namesOf(known))
    })
  const recipients = data.chats
    .filter(({ id }) => id?.endsWith('@broadcast'))
    .flatMap(({ id, participant }) =>
      (participant ?? []).map(({ userJid }) => ({ session, list: String(id), jid: String(userJid) })),
    )
  return {
    writes: [
      ...(people.length > 0 ? [db.put('people', PERSON_KEY, people)] : []),
      ...(recipients.length > 0 ? [db.put('lists', ['session', 'list', 'jid'], recipients)] : []),
    ],
  }
}

/** What Baileys hears of people beside their messages: the names of businesses. */
export function ofUpdate(
  { session, data }: Signal<'baileys.contacts.update'>,
  { db }: Deps,
): Recording | undefined {
  const rows = data.flatMap(({ id = '', lid, phoneNumber, verifiedName }) => {
    if (!verifiedName || !isPerson(id)) return []
    const alt = (id.endsWith('@lid') ? phoneNumber : lid) ?? ''
    return [rowOf(session, personOf(id, alt), namesOf({ verifiedName }))]
  })
  return rows.length > 0 ? { writes: [db.put('people', PERSON_KEY, rows)] } : undefined
}

function namesOf({ notify, verifiedName }: { notify?: string; verifiedName?: string }): Row {
  return {
    ...(notify ? { push_name: notify } : {}),
    ...(verifiedName ? { business_name: verifiedName } : {}),
  }
}
