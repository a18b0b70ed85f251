import { isPersonJid, type Recording, type Signal } from 'wamux/plugin'
import type { Learnt, People } from './people.ts'
import { personOf } from './person.ts'

interface Deps {
  people: People
}

/** The phone's history: who there is, by which name of their own, and who is on which broadcast list. */
export function ofHistory(
  { session, data }: Signal<'baileys.messaging-history.set'>,
  { people }: Deps,
): Recording {
  const phones = new Map((data.lidPnMappings ?? []).map(({ lid, pn }) => [lid, pn]))
  const learnt = data.contacts
    .filter(({ id }) => isPersonJid(id))
    .map(({ id, lid, phoneNumber, ...known }) => {
      const alt = (id.endsWith('@lid') ? (phoneNumber ?? phones.get(id)) : lid) ?? ''
      // A name in the history is the chat's title: the number itself, where nobody saved one.
      return { ...personOf(id, alt), ...namesOf(known) }
    })
  const recipients = data.chats
    .filter(({ id }) => id?.endsWith('@broadcast'))
    .flatMap(({ id, participant }) =>
      (participant ?? []).map(({ userJid }) => ({ list: String(id), jid: String(userJid) })),
    )
  return { writes: [...people.learn(session, learnt), ...people.enlist(session, recipients)] }
}

/** What Baileys hears of people beside their messages: the names of businesses. */
export function ofUpdate({ session, data }: Signal<'baileys.contacts.update'>, { people }: Deps): Recording {
  const learnt = data.flatMap(({ id = '', lid, phoneNumber, verifiedName }) => {
    if (!verifiedName || !isPersonJid(id)) return []
    const alt = (id.endsWith('@lid') ? phoneNumber : lid) ?? ''
    return [{ ...personOf(id, alt), ...namesOf({ verifiedName }) }]
  })
  return { writes: people.learn(session, learnt) }
}

function namesOf({ notify, verifiedName }: { notify?: string; verifiedName?: string }): Partial<Learnt> {
  return {
    ...(notify ? { pushName: notify } : {}),
    ...(verifiedName ? { businessName: verifiedName } : {}),
  }
}
