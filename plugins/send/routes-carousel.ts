import { LENGTHS, SAMPLES, Sent, sendFields } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, type Static, T } from 'wamux/plugin'
import { Button, MAX_BUTTONS, toFlowButtons } from './buttons.ts'
import { type Card, toCarousel } from './carousel.ts'
import { imageOf, type SessionMedia, videoOf } from './files.ts'
import { sendInteractive } from './interactive.ts'
import { Footer, OneOf } from './schemas.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media' | 'sender' | 'targets'>

const cardFields = {
  text: T.String({
    minLength: 1,
    maxLength: LENGTHS.text,
    aliases: ['Body', 'Content'],
    description: 'Text of the card',
  }),
  title: T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Line above it' })),
  footer: T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Small text below it' })),
  buttons: T.Optional(T.Array(Button, { maxItems: MAX_BUTTONS })),
}

const TextCard = T.Object(cardFields)

const MediaCard = T.Object({
  ...cardFields,
  media_url: T.String({
    minLength: 1,
    format: 'file',
    aliases: ['MediaUrl', 'Media'],
    description: 'Picture or video of the card: http(s) link, data URL or base64',
  }),
  media_type: T.Optional(OneOf(['image', 'video'], 'Kind of file (default image)')),
})

const top = {
  Body: T.Optional(
    T.String({ maxLength: LENGTHS.text, aliases: ['Message', 'Text'], description: 'Text above the cards' }),
  ),
  Footer,
}
const count = { aliases: ['Cards'], minItems: 2, maxItems: 10, description: 'Two to ten cards' }

export const carouselRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/carousel', {
    ignoresUnknown: true,
    summary: 'Send a carousel of cards with buttons',
    description: 'Cards of text, each with its buttons.',
    example: {
      Phone: '5511999999999',
      Body: 'Our bread',
      Carousel: [
        { text: 'Rye', buttons: [{ DisplayText: 'Order', Type: 'reply', Id: 'rye' }] },
        { text: 'Wheat', buttons: [{ DisplayText: 'Order', Type: 'reply', Id: 'wheat' }] },
      ],
    },
    body: T.Object({ ...sendFields, ...top, Carousel: T.Array(TextCard, count) }),
    response: Sent,
    handle: async (request, deps) => {
      const { Body: body, Footer: footer, Carousel } = request.body
      const cards = Carousel.map(toCard)
      return sendInteractive(deps, '/send/carousel', request, 'mixed', (chat) =>
        toCarousel(request.session, chat, { body, footer }, cards),
      )
    },
  }),
  r.post('/send/carouselmedia', {
    ignoresUnknown: true,
    summary: 'Send a carousel of cards with a picture or video and buttons',
    description: 'Each card with its own file.',
    example: {
      Phone: '5511999999999',
      Body: 'Our bread',
      Carousel: [
        {
          text: 'Rye',
          media_url: SAMPLES.picture,
          media_type: 'image',
          buttons: [{ DisplayText: 'Order', Type: 'reply', Id: 'rye' }],
        },
        {
          text: 'Wheat',
          media_url: SAMPLES.picture,
          media_type: 'image',
          buttons: [{ DisplayText: 'Order', Type: 'reply', Id: 'wheat' }],
        },
      ],
    },
    body: T.Object({ ...sendFields, ...top, Carousel: T.Array(MediaCard, count) }),
    response: Sent,
    handle: async (request, deps) => {
      const { Body: body, Footer: footer, Carousel } = request.body
      const cards = Carousel.map((card, index) => ({
        ...toCard(card, index),
        file: () => fileOf(deps.media.of(request.session.id), card, index),
      }))
      return sendInteractive(deps, '/send/carouselmedia', request, 'mixed', (chat) =>
        toCarousel(request.session, chat, { body, footer }, cards),
      )
    },
  }),
]

function toCard({ title, text, footer, buttons = [] }: Static<typeof TextCard>, index: number): Card {
  return { title, text, footer, buttons: toFlowButtons(`Carousel.${index}.buttons`, buttons) }
}

function fileOf(media: SessionMedia, { media_url, media_type }: Static<typeof MediaCard>, index: number) {
  const given = { field: `Carousel.${index}.media_url`, file: media_url }
  return media_type === 'video' ? videoOf(media, given) : imageOf(media, given)
}
