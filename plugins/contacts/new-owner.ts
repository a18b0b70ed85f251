import type { Recording, Signal } from 'wamux/plugin'
import type { ContactStore } from './contact-store.ts'
import type { PushNameCache } from './push-name-cache.ts'

interface Deps {
  contactStore: ContactStore
  pushNames: PushNameCache
}

/**
 * Divides the contact of a number that has a new owner: names of the person's own go with the former LID. Names from the address
 * book stay with the number, too, since phones save numbers.
 */
export async function ofNewOwner(
  { session, data: { pn: jid, lid, formerLid }, time }: Signal<'number.owner'>,
  { contactStore, pushNames }: Deps,
): Promise<Recording> {
  const [known] = await contactStore.find(session, [jid])
  pushNames.forget(session)
  const former = known?.lid === formerLid ? [{ ...known, jid: formerLid }] : []
  const next = { jid, lid, pushName: '', businessName: '', username: '' }
  const event = { JID: jid, LID: lid, FormerLID: formerLid, Timestamp: time }
  return {
    events: [{ type: 'NumberOwner', key: `${jid} ${lid} ${time}`, chat: formerLid, time, body: { event } }],
    writes: known ? contactStore.record(session, [...former, next]) : [],
  }
}
