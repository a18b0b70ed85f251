import { LENGTHS, Sent, sendFields } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { pollOf } from './poll.ts'
import { cardOf, Vcard } from './vcard.ts'

const Line = T.Optional(T.String({ maxLength: LENGTHS.line }))

export const richRoutes = <D extends Kernel<unknown> & Pick<GatewayServices, 'sender'>>(
  r: RouteBuilder<D>,
) => [
  r.post('/send/location', {
    ignoresUnknown: true,
    summary: 'Send a location',
    isQueueable: true,
    description: 'A pin on a map, with name and address below it.',
    example: { Phone: '5511999999999', Latitude: -23.5505, Longitude: -46.6333, Name: 'Our shop' },
    body: T.Object({
      ...sendFields,
      Latitude: T.Number({ minimum: -90, maximum: 90, description: 'Degrees north' }),
      Longitude: T.Number({ minimum: -180, maximum: 180, description: 'Degrees east' }),
      Name: Line,
      Address: Line,
    }),
    response: Sent,
    handle: (request, { sender }) =>
      sender.send('/send/location', request, () => {
        const { Latitude, Longitude, Name = '', Address = '' } = request.body
        return {
          location: { degreesLatitude: Latitude, degreesLongitude: Longitude, name: Name, address: Address },
        }
      }),
  }),
  r.post('/send/contact', {
    ignoresUnknown: true,
    summary: 'Send a contact card',
    isQueueable: true,
    description: 'The fields of a card, or a complete vCard as text.',
    example: {
      Phone: '5511999999999',
      Vcard: { FullName: 'Rui Costa', Phone: '5511977777777', Organization: 'Bakery' },
    },
    body: T.Object({
      ...sendFields,
      Vcard,
      Name: T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Display name, if Vcard is text' })),
    }),
    response: Sent,
    handle: (request, { sender }) =>
      sender.send('/send/contact', request, () => {
        const { vcard, displayName } = cardOf(request.body.Vcard, request.body.Name)
        return { contacts: { displayName, contacts: [{ displayName, vcard }] } }
      }),
  }),
  r.post('/send/contacts', {
    summary: 'Send several contact cards in one message',
    isQueueable: true,
    description: 'Each as in `POST /send/contact`.',
    example: {
      Phone: '5511999999999',
      Contacts: [
        { FullName: 'Rui Costa', Phone: '5511977777777' },
        { FullName: 'Eva Dias', Phone: '5511966666666', Organization: 'Bakery' },
      ],
    },
    body: T.Object({
      ...sendFields,
      Contacts: T.Array(Vcard, { maxItems: 100, description: 'Two to a hundred cards' }),
      Name: T.Optional(
        T.String({
          maxLength: LENGTHS.line,
          description: 'Title of the message; the first name and the number of others when absent',
        }),
      ),
    }),
    response: Sent,
    handle: (request, { sender }) =>
      sender.send('/send/contacts', request, () => {
        const { Contacts, Name } = request.body
        if (Contacts.length < 2)
          throw gatewayError('FIELD_INVALID', ['Contacts', 'at least 2 cards are required'])
        const contacts = Contacts.map((card) => cardOf(card))
        const displayName = Name || `${contacts[0]?.displayName} + ${contacts.length - 1}`
        return { contacts: { displayName, contacts } }
      }),
  }),
  r.post('/send/poll', {
    ignoresUnknown: true,
    summary: 'Send a poll',
    isQueueable: true,
    description:
      'Votes arrive decrypted as events `Message`. With `CorrectAnswer` it is a quiz, which WhatsApp has in newsletters only.',
    example: { Phone: '5511999999999', Question: 'Which bread?', MaxAnswer: 1, Options: ['Rye', 'Wheat'] },
    body: T.Object({
      ...sendFields,
      Question: T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'The question' }),
      MaxAnswer: T.Integer({
        minimum: 0,
        description: 'Number of options that a voter may choose; 0 for any number',
      }),
      Options: T.Array(T.String({ minLength: 1, maxLength: LENGTHS.line }), {
        maxItems: 12,
        description: 'Two to twelve options',
      }),
      CorrectAnswer: T.Optional(
        T.String({
          minLength: 1,
          maxLength: LENGTHS.line,
          description: 'Makes it a quiz: the option that is right. In newsletters only, with MaxAnswer 1',
        }),
      ),
    }),
    response: Sent,
    handle: (request, { sender }) => sender.send('/send/poll', request, () => pollOf(request.body)),
  }),
]
