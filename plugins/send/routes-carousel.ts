import type { AnyMediaMessageContent } from '@whiskeysockets/baileys'
import {
  type FlowButton,
  type Interactive,
  LENGTHS,
  SAMPLES,
  Sent,
  sendFields,
  toInteractive,
} from 'wamux/messaging'
import {
  type GatewayServices,
  type Kernel,
  type LiveSession,
  type RouteBuilder,
  type Static,
  T,
} from 'wamux/plugin'
import { Button, MAX_BUTTONS, toFlowButtons } from './buttons.ts'
import { imageOf, type SendMedia, videoOf } from './files.ts'
import { sendInteractive } from './interactive.ts'
import { Footer, OneOf } from './schemas.ts'

/** Proto value of cards in a horizontal row. */
const HSCROLL_CARDS = 1

interface Card {
  title?: string | undefined
  text: string
  footer?: string | undefined
  buttons: readonly FlowButton[]
  /** Fetched when the card is built, so that one file at a time is in memory. */
  file?: () => Promise<AnyMediaMessageContent>
}

/** A text with cards below it. iOS requires a context, even an empty one (EvolutionAPI/evolution-go). */
async function toCarousel(
  session: LiveSession,
  chat: string,
  { body = '', footer }: { body?: string | undefined; footer?: string | undefined },
  cards: readonly Card[],
): Promise<Interactive> {
  const made: Interactive[] = []
  for (const { title, text, footer: line, buttons, file } of cards) {
    const parts = { title, body: text, footer: line, buttons }
    made.push(await toInteractive(session, chat, file ? { ...parts, file: await file() } : parts))
  }
  return {
    body: { text: body },
    ...(footer ? { footer: { text: footer } } : {}),
    contextInfo: {},
    carouselMessage: { cards: made, messageVersion: 1, carouselCardType: HSCROLL_CARDS },
  }
}

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

function fileOf(media: SendMedia, { media_url, media_type }: Static<typeof MediaCard>, index: number) {
  const given = { field: `Carousel.${index}.media_url`, file: media_url }
  return media_type === 'video' ? videoOf(media, given) : imageOf(media, given)
}
