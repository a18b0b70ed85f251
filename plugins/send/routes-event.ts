import { randomBytes } from 'node:crypto'
import type { proto } from '@whiskeysockets/baileys'
import { LENGTHS, Sent, sendFields, unixSeconds } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sender'>

const Place = T.Object(
  {
    Name: T.Optional(T.String({ maxLength: LENGTHS.line })),
    Address: T.Optional(T.String({ maxLength: LENGTHS.line })),
    Latitude: T.Number({ minimum: -90, maximum: 90 }),
    Longitude: T.Number({ minimum: -180, maximum: 180 }),
  },
  { title: 'EventPlace' },
)

export const eventRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/event', {
    summary: 'Send an event that people can answer',
    isQueueable: true,
    description:
      'Answers arrive decrypted as events `Message`; `/message/event/cancel` cancels it. Only in chats with people and groups.',
    example: {
      Phone: '5511999999999',
      Name: 'Bread tasting',
      Description: 'New loaves, and coffee',
      Start: '2030-12-24T18:00:00+01:00',
    },
    body: T.Object({
      ...sendFields,
      Name: T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'Its name' }),
      Description: T.Optional(T.String({ maxLength: LENGTHS.text })),
      Start: T.String({ format: 'date-time', description: 'When it begins, RFC 3339' }),
      End: T.Optional(T.String({ format: 'date-time', description: 'When it ends, RFC 3339' })),
      Location: T.Optional(Place),
      Guests: T.Optional(T.Boolean({ description: 'Whether people may bring guests' })),
    }),
    response: Sent,
    handle: (request, { sender }) =>
      sender.send('/send/event', request, () => {
        const { Phone, Start, End, Name, Description, Location, Guests = false } = request.body
        if (/@(newsletter|broadcast|bot)$/.test(Phone))
          throw gatewayError('FIELD_INVALID', ['Phone', 'only chats with people and groups have events'])
        const [start, end] = [unixSeconds(Start), End === undefined ? undefined : unixSeconds(End)]
        if (end !== undefined && end <= start)
          throw gatewayError('FIELD_INVALID', ['End', 'must be after Start'])
        const eventMessage: proto.Message.IEventMessage = {
          name: Name,
          startTime: start,
          isCanceled: false,
          extraGuestsAllowed: Guests,
          ...(Description ? { description: Description } : {}),
          ...(end === undefined ? {} : { endTime: end }),
          ...(Location
            ? {
                location: {
                  degreesLatitude: Location.Latitude,
                  degreesLongitude: Location.Longitude,
                  name: Location.Name ?? '',
                  address: Location.Address ?? '',
                },
              }
            : {}),
        }
        // Answers are sealed under this secret.
        return { proto: { eventMessage, messageContextInfo: { messageSecret: randomBytes(32) } } }
      }),
  }),
]
