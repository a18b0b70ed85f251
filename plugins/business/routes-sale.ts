import { LENGTHS, Sent, sendFields } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { Order, readOrder } from './order.ts'

const LINK = /^(?:https?:\/\/)?(?:www\.)?wa\.me\/c\/(\d{5,15})\/?$/i

/** A text that contains a link to a catalogue: phones show a preview only for links in the text. */
function catalogLink(
  ownJid: string,
  text: string,
  given: string | undefined,
): { text: string; matchedText: string } {
  const number = given ? LINK.exec(given)?.[1] : ownJid.split('@')[0]
  if (!number) throw gatewayError('FIELD_INVALID', ['MatchedText', 'must look like wa.me/c/<number>'])
  if (given && text.includes(given)) return { text, matchedText: given }
  const link = `https://wa.me/c/${number}`
  return { text: text.includes(link) ? text : `${text}\n${link}`, matchedText: link }
}

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sender'>

export const saleRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/business/order/details', {
    ignoresUnknown: true,
    summary: 'Read an order sent by a customer',
    description: 'Both fields are in the event `Message` of the order.',
    example: { orderId: '1234567890123456', token: 'AR5vZW1hOUxMUjU2' },
    scope: 'read',
    body: T.Object({
      orderId: T.String({
        minLength: 1,
        format: 'id',
        pattern: '^[\\w-]{1,64}$',
        description: 'orderMessage.orderID of the event',
      }),
      token: T.String({ minLength: 1, maxLength: 4096, description: 'orderMessage.token of the event' }),
    }),
    response: Order,
    handle: ({ body, session }) => readOrder(session, body.orderId, body.token),
  }),
  r.post('/business/send/catalog', {
    ignoresUnknown: true,
    summary: 'Send a link to a catalogue, with its preview',
    description: 'The chat shows a card that opens the catalogue.',
    example: { Phone: '5511999999999', Text: 'All that we bake' },
    scope: 'send',
    body: T.Object({
      ...sendFields,
      Text: T.String({
        minLength: 1,
        maxLength: LENGTHS.text,
        aliases: ['Body', 'Message'],
        description: 'The text',
      }),
      MatchedText: T.Optional(
        T.String({
          maxLength: LENGTHS.url,
          aliases: ['MatchedURL'],
          description:
            'wa.me/c/<number>; your own catalogue when absent. Appended to the text if it is not part of it',
        }),
      ),
      Title: T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Title of the preview' })),
    }),
    response: Sent,
    handle: (request, { sender }) =>
      sender.send('/business/send/catalog', request, () => {
        const { Text, MatchedText, Title } = request.body
        const { text, matchedText } = catalogLink(request.session.jid, Text, MatchedText)
        const extendedTextMessage = { text, matchedText, title: Title || 'Catalog', previewType: 0 }
        return { proto: { extendedTextMessage } }
      }),
  }),
]
