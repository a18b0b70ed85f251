import { Done, Jid, LENGTHS, Phone, statusViewers } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type LiveSession,
  type RouteBuilder,
  T,
} from 'wamux/plugin'
import type { Contact, ContactStore } from './contact-store.ts'
import type { Contacts } from './contacts.ts'
import { personOf } from './person.ts'

type Deps = Kernel<unknown> &
  Pick<GatewayServices, 'targets'> & { contactStore: ContactStore; contacts: Contacts }

/** A contact, or somebody of whom only number and LID are known. */
type Found = Contact & { readonly isUnnamed?: boolean }

const Words = T.String()
const MAX_PEOPLE = 50
const BLANK = { firstName: '', fullName: '', pushName: '', businessName: '', username: '' }

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/contact/add', {
    ignoresUnknown: true,
    leaves: ['contact'],
    isIdempotent: true,
    summary: 'Save a contact, or rename it',
    description: "Saved in WhatsApp, and with `SaveOnBook` also in the phone's address book.",
    example: { Phone: '5511999999999', FullName: 'Ana Lima' },
    body: T.Object({
      Phone,
      FirstName: T.Optional(
        T.String({
          minLength: 1,
          maxLength: LENGTHS.line,
          aliases: ['Name'],
          description: 'First word of FullName when absent',
        }),
      ),
      FullName: T.Optional(
        T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'FirstName when absent' }),
      ),
      SaveOnBook: T.Optional(T.Boolean({ description: "Save it in the phone's own address book too" })),
    }),
    response: T.Object({ Details: T.String(), JID: T.String() }),
    async handle({ body, session }, { targets }) {
      const fullName = body.FullName ?? body.FirstName
      if (!fullName) throw gatewayError('FIELD_MISSING', ['FullName'])
      const { jid, lid } = await personBy(session, await targets.resolveUser(session, body.Phone))
      const contact = {
        fullName,
        firstName: body.FirstName ?? fullName.split(' ')[0] ?? fullName,
        saveOnPrimaryAddressbook: body.SaveOnBook ?? false,
        ...(lid ? { lidJid: lid } : {}),
      }
      await session.socket.modify({ contact }, jid)
      return { Details: 'Contact saved', JID: jid }
    },
  }),
  r.post('/contact/remove', {
    ignoresUnknown: true,
    leaves: ['contact'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Remove a contact',
    description: 'Removes the name from WhatsApp; chats and messages are kept.',
    example: { Phone: '5511999999999' },
    body: T.Object({ Phone }),
    response: Done,
    async handle({ body, session }, { targets }) {
      const { jid } = await personBy(session, await targets.resolveUser(session, body.Phone))
      await session.socket.modify({ contact: null }, jid)
      return { Details: 'Contact removed' }
    },
  }),
  r.get('/user/contacts', {
    ignoresUnknown: true,
    summary: 'List the contacts of the account',
    description:
      'Everybody whose name is known here: saved contacts, and people who wrote. By JID, which is the LID if the number is unknown. With `People` only these; one without a name is not `Found`, and in the answer only if number and LID are known.',
    body: T.Object({
      People: T.Optional(
        T.String({
          maxLength: 4_000,
          names: 'unknown',
          description: `At most ${MAX_PEOPLE} phone numbers, JIDs or LIDs with commas between them; everybody when absent`,
          examples: ['5511999999999,12345678901234@lid'],
        }),
      ),
    }),
    response: T.Record(
      T.String(),
      T.Object({
        Found: T.Boolean(),
        FirstName: Words,
        FullName: Words,
        PushName: Words,
        BusinessName: Words,
        LID: Words,
        Username: T.Optional(T.String({ description: 'Without @; absent if unknown' })),
      }),
    ),
    async handle({ body, session }, { contacts }) {
      const known =
        body.People === undefined
          ? await contacts.all(session.id)
          : await lookUp(session, parsePeople(body.People), contacts)
      return Object.fromEntries(known.map((contact) => [contact.jid, toView(contact)]))
    },
  }),
  r.post('/broadcast/listparticipants', {
    ignoresUnknown: true,
    summary: 'List the recipients of a broadcast list',
    example: { ID: '1234567890@broadcast' },
    scope: 'read',
    description:
      '`status@broadcast` lists the recipients of status posts. Other lists are stored on the phone; their recipients are known only as of linking.',
    body: T.Object({
      ID: T.String({ minLength: 1, format: 'id', names: 'list', description: 'JID of the list' }),
    }),
    response: T.Object({ ID: T.String(), Participants: T.Array(T.String()) }),
    async handle({ body, session }, { contacts, contactStore, targets }) {
      const list = targets.toChat(body.ID.includes('@') ? body.ID : Jid.ofBroadcast(body.ID))
      if (!Jid.isBroadcast(list)) throw gatewayError('FIELD_INVALID', ['ID', 'is not a broadcast list'])
      return { ID: list, Participants: await audience({ contactStore, contacts }, session, list) }
    },
  }),
]

function parsePeople(text: string): string[] {
  const people = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  if (people.length > MAX_PEOPLE)
    throw gatewayError('FIELD_INVALID', ['People', `names more than ${MAX_PEOPLE} people`])
  const wrong = people.find((one) => !/^(\d{5,20}|\d{1,20}@(s\.whatsapp\.net|lid))$/.test(one))
  if (wrong) throw gatewayError('FIELD_INVALID', ['People', `has "${wrong}", which is no number, JID or LID`])
  return people.map((one) => (one.includes('@') ? one : Jid.ofPhone(one)))
}

/** Also those without a name whose number and LID are known to belong together. */
async function lookUp(session: LiveSession, jids: readonly string[], contacts: Contacts): Promise<Found[]> {
  const people = await Promise.all(jids.map(async (jid) => personOf(jid, await session.socket.knownAlt(jid))))
  const named = await contacts.byJids(
    session.id,
    people.flatMap(({ jid, lid }) => (lid ? [jid, lid] : [jid])),
  )
  const found = people.flatMap(({ jid, lid }): Found[] => {
    const contact = named.find((one) => one.jid === jid || (lid !== '' && one.jid === lid))
    if (contact) return [{ ...contact, jid, lid: lid || contact.lid }]
    return lid && lid !== jid ? [{ ...BLANK, jid, lid, isUnnamed: true }] : []
  })
  return [...new Map(found.map((contact) => [contact.jid, contact])).values()]
}

function toView({ lid, firstName, fullName, pushName, businessName, username, isUnnamed }: Found) {
  return {
    Found: isUnnamed !== true,
    FirstName: firstName,
    FullName: fullName,
    PushName: pushName,
    BusinessName: businessName,
    LID: lid,
    ...(username ? { Username: username } : {}),
  }
}

/** Contacts are stored by phone number, even if the client named a LID. */
async function personBy({ socket }: LiveSession, user: string) {
  return personOf(user, await socket.altJid(user))
}

interface Parts {
  contactStore: ContactStore
  contacts: Contacts
}

/** The recipients of a broadcast list, as far as a companion device can know them. */
async function audience(
  { contactStore, contacts }: Parts,
  session: LiveSession,
  list: string,
): Promise<string[]> {
  if (list === Jid.status) return (await statusViewers(session, () => contacts.named(session.id))).jids
  // Lists are stored on the phone; only those in the history that it sent when linking are known.
  return contactStore.recipients(session.id, list)
}
