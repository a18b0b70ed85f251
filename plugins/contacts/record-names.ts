import { Jid } from 'wamux/messaging'
import type { Recording, Signal } from 'wamux/plugin'
import type { ContactStore, ContactUpdate } from './contact-store.ts'
import { personOf } from './person.ts'

interface Deps {
  contactStore: ContactStore
}

/** Names and broadcast lists from the phone's history. */
export function ofHistory(
  { session, data }: Signal<'baileys.messaging-history.set'>,
  { contactStore }: Deps,
): Recording {
  const phones = new Map((data.lidPnMappings ?? []).map(({ lid, pn }) => [lid, pn]))
  const updates = data.contacts
    .filter(({ id }) => Jid.isPerson(id))
    .map(({ id, lid, phoneNumber, ...known }) => {
      const alt = (Jid.isLid(id) ? (phoneNumber ?? phones.get(id)) : lid) ?? ''
      // A name in the history is the chat's title: the number itself, if the contact is not saved.
      return { ...personOf(id, alt), ...namesOf(known) }
    })
  const recipients = data.chats
    .filter(({ id }) => Jid.isBroadcast(id))
    .flatMap(({ id, participant }) =>
      (participant ?? []).map(({ userJid }) => ({ list: String(id), jid: String(userJid) })),
    )
  return { writes: [...contactStore.record(session, updates), ...contactStore.enlist(session, recipients)] }
}

/** Contact updates that arrive apart from messages: the names of businesses. */
export function ofUpdate(
  { session, data }: Signal<'baileys.contacts.update'>,
  { contactStore }: Deps,
): Recording {
  const updates = data.flatMap(({ id = '', lid, phoneNumber, verifiedName }) => {
    if (!verifiedName || !Jid.isPerson(id)) return []
    const alt = (Jid.isLid(id) ? phoneNumber : lid) ?? ''
    return [{ ...personOf(id, alt), ...namesOf({ verifiedName }) }]
  })
  return { writes: contactStore.record(session, updates) }
}

function namesOf({
  notify,
  verifiedName,
  username,
}: {
  notify?: string
  verifiedName?: string
  username?: string
}): Partial<ContactUpdate> {
  return {
    ...(notify ? { pushName: notify } : {}),
    ...(verifiedName ? { businessName: verifiedName } : {}),
    ...(username ? { username } : {}),
  }
}
