import {
  type FlowButton,
  file,
  flowButton,
  flowOf,
  LENGTHS,
  SAMPLES,
  Sent,
  sendFields,
  toInteractive,
} from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, type Static, T } from 'wamux/plugin'
import { Button, MAX_BUTTONS, toFlowButtons } from './buttons.ts'
import { documentOf, imageOf, type SendMedia, videoOf } from './files.ts'
import { sendInteractive } from './interactive.ts'
import { listFields, toSections } from './list.ts'
import { Footer, OneOf, Title } from './schemas.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media' | 'sender' | 'targets'>

const Content = T.String({
  minLength: 1,
  maxLength: LENGTHS.text,
  aliases: ['Body', 'Text', 'Message'],
  description: 'The text',
})

const SimpleButton = T.Object(
  {
    id: T.Optional(
      T.String({
        maxLength: LENGTHS.line,
        format: 'id',
        aliases: ['ButtonId'],
        description: 'Id that the reply contains; the text when absent',
      }),
    ),
    text: T.String({
      minLength: 1,
      maxLength: LENGTHS.line,
      aliases: ['ButtonText', 'DisplayText', 'Label'],
      description: 'Label of the button',
    }),
  },
  { title: 'ReplyButton' },
)

const MediaButton = T.Object({
  ...sendFields,
  Content,
  Buttons: T.Array(Button, { minItems: 1, maxItems: MAX_BUTTONS }),
  Type: OneOf(['image', 'video', 'document'], 'Kind of file'),
  Media: file('The file above the text'),
  Footer,
  Title,
  Filename: T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Name of a document' })),
})

export const buttonRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/template', {
    ignoresUnknown: true,
    summary: 'Send a text with buttons: reply, open a page, call, copy',
    example: {
      Phone: '5511999999999',
      Content: 'Your order is ready',
      Footer: 'Bakery',
      Buttons: [{ DisplayText: 'Thanks', Type: 'quickreply', Id: 'thanks' }],
    },
    description: 'Without buttons it is sent as plain text.',
    body: T.Object({
      ...sendFields,
      Content,
      Title,
      Footer,
      Buttons: T.Optional(T.Array(Button, { maxItems: MAX_BUTTONS })),
    }),
    response: Sent,
    handle: async (request, deps) => {
      const { Content: body, Title: title, Footer: footer, Buttons = [] } = request.body
      const buttons = toFlowButtons('Buttons', Buttons)
      if (buttons.length === 0)
        return deps.sender.send('/send/template', request, () => ({ text: asText(title, body, footer) }))
      return sendInteractive(deps, '/send/template', request, flowOf(buttons), (chat) =>
        toInteractive(request.session, chat, { title, body, footer, buttons }),
      )
    },
  }),
  r.post('/send/buttons', {
    ignoresUnknown: true,
    summary: 'Send a text with one to three reply buttons',
    description: 'The choice arrives as an event `Message`.',
    example: {
      Phone: '5511999999999',
      Title: 'Your order',
      Content: 'Shall we deliver it?',
      Footer: 'Bakery',
      Buttons: [
        { id: 'yes', text: 'Yes' },
        { id: 'no', text: 'No' },
      ],
    },
    body: T.Object({
      ...sendFields,
      Title: T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'Line above the text' }),
      Content,
      Footer: T.String({
        minLength: 1,
        maxLength: LENGTHS.line,
        description: 'Small text below the message',
      }),
      Buttons: T.Array(SimpleButton, { minItems: 1, maxItems: 3 }),
    }),
    response: Sent,
    handle: async (request, deps) => {
      const { Title: title, Content: body, Footer: footer, Buttons } = request.body
      const buttons = Buttons.map(({ id, text }): FlowButton => reply(text, id))
      return sendInteractive(deps, '/send/buttons', request, flowOf(buttons), (chat) =>
        toInteractive(request.session, chat, { title, body, footer, buttons }),
      )
    },
  }),
  r.post('/send/mediabutton', {
    ignoresUnknown: true,
    summary: 'Send a picture, video or document with buttons',
    description: '`Media` is shown above the text.',
    example: {
      Phone: '5511999999999',
      Content: 'New today',
      Type: 'image',
      Media: SAMPLES.picture,
      Buttons: [{ DisplayText: 'Order', Type: 'quickreply', Id: 'order' }],
    },
    body: MediaButton,
    response: Sent,
    handle: async (request, deps) => {
      const { Content: body, Title: title, Footer: footer } = request.body
      const buttons = toFlowButtons('Buttons', request.body.Buttons)
      return sendInteractive(deps, '/send/mediabutton', request, flowOf(buttons), async (chat) => {
        const header = await headerOf(deps.media.of(request.session.id), request.body)
        return toInteractive(request.session, chat, { title, body, footer, buttons, file: header })
      })
    },
  }),
  r.post('/send/list', {
    ignoresUnknown: true,
    summary: 'Send a list to choose from',
    description:
      'Rows in `List`, or several groups of rows in `Sections`. The choice arrives as an event `Message`.',
    example: {
      Phone: '5511999999999',
      ButtonText: 'Open',
      TopText: 'Bread',
      Desc: 'What may we bake for you?',
      List: [{ title: 'Rye', desc: '500 g', RowId: 'rye' }],
    },
    body: T.Object({
      ...sendFields,
      ButtonText: T.String({
        minLength: 1,
        maxLength: LENGTHS.line,
        description: 'Label of the button that opens the list',
      }),
      Desc: T.String({
        minLength: 1,
        maxLength: LENGTHS.text,
        aliases: ['Description', 'Body'],
        description: 'The text',
      }),
      TopText: T.String({
        minLength: 1,
        maxLength: LENGTHS.line,
        aliases: ['Title'],
        description: 'Line above the text',
      }),
      FooterText: T.Optional(
        T.String({
          maxLength: LENGTHS.line,
          aliases: ['Footer'],
          description: 'Small text below the message',
        }),
      ),
      ...listFields,
    }),
    response: Sent,
    handle: async (request, deps) => {
      const { ButtonText, Desc: body, TopText: title, FooterText: footer } = request.body
      const buttons = [flowButton.choose(ButtonText, toSections(request.body))]
      return sendInteractive(deps, '/send/list', request, flowOf(buttons), (chat) =>
        toInteractive(request.session, chat, { title, body, footer, buttons }),
      )
    },
  }),
  r.post('/send/locationbutton', {
    ignoresUnknown: true,
    summary: 'Ask a person for their location',
    description: 'The chat shows a button that sends the location of the other side.',
    example: { Phone: '5511999999999', Body: 'Where shall we deliver?' },
    body: T.Object({
      ...sendFields,
      Body: T.Optional(
        T.String({ maxLength: LENGTHS.text, aliases: ['Text', 'Message'], description: 'The text' }),
      ),
    }),
    response: Sent,
    handle: async (request, deps) => {
      const body = request.body.Body || 'Location'
      const buttons = [flowButton.sendLocation()]
      return sendInteractive(deps, '/send/locationbutton', request, flowOf(buttons), (chat) =>
        toInteractive(request.session, chat, { body, buttons }),
      )
    },
  }),
]

function reply(text: string, id: string | undefined): FlowButton {
  return flowButton.reply(text, id || text)
}

function asText(title: string | undefined, body: string, footer: string | undefined): string {
  return [title ? `*${title}*` : '', body, footer ? `_${footer}_` : ''].filter(Boolean).join('\n\n')
}

function headerOf(media: SendMedia, { Type, Media, Filename }: Static<typeof MediaButton>) {
  const given = { field: 'Media', file: Media }
  if (Type === 'image') return imageOf(media, given)
  return Type === 'video' ? videoOf(media, given) : documentOf(media, given, { fileName: Filename || 'file' })
}
