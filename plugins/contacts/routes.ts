import { Done, LENGTHS, Phone } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type LiveSession,
  type RouteBuilder,
  T,
} from 'wamux/plugin'
import { audience } from './audience.ts'
import type { ContactStore } from './contact-store.ts'
import type { Contacts } from './contacts.ts'
import { personOf } from './person.ts'

type Deps = Kernel<unknown> &
  Pick<GatewayServices, 'targets'> & { contactStore: ContactStore; contacts: Contacts }

const Words = T.String()

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/contact/add', {
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
    summary: 'List the contacts of the account',
    description: 'Everybody whose name is known here: saved contacts, and people who wrote. By JID.',
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
    async handle({ session }, { contacts }) {
      const known = await contacts.all(session.id)
      return Object.fromEntries(
        known.map(({ jid, lid, firstName, fullName, pushName, businessName, username }) => [
          jid,
          {
            Found: true,
            FirstName: firstName,
            FullName: fullName,
            PushName: pushName,
            BusinessName: businessName,
            LID: lid,
            ...(username ? { Username: username } : {}),
          },
        ]),
      )
    },
  }),
  r.post('/broadcast/listparticipants', {
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
      const list = targets.toChat(body.ID.includes('@') ? body.ID : `${body.ID}@broadcast`)
      if (!list.endsWith('@broadcast')) throw gatewayError('FIELD_INVALID', ['ID', 'is not a broadcast list'])
      return { ID: list, Participants: await audience({ contactStore, contacts }, session, list) }
    },
  }),
]

/** Contacts are stored by phone number, even if the client named a LID. */
async function personBy({ socket }: LiveSession, user: string) {
  return personOf(user, await socket.altJid(user))
}
