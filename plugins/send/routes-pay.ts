import { flowOf, LENGTHS, Sent, sendFields, toInteractive } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { sendInteractive } from './interactive.ts'
import { orderFields, pixFields, toPixButton, toReviewButton } from './pay.ts'
import { Footer, LongText, Title } from './schemas.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sender' | 'targets'>

export const payRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/pixbutton', {
    ignoresUnknown: true,
    summary: 'Send a PIX key for a payment',
    description: 'The chat shows a button that copies the key.',
    example: {
      Phone: '5511999999999',
      Body: 'Pay by PIX',
      PixKey: 'shop@example.com',
      PixType: 'EMAIL',
      MerchantName: 'Bakery',
    },
    body: T.Object({ ...sendFields, Body: LongText, ...pixFields, Title, Footer }),
    response: Sent,
    handle: async (request, deps) => {
      const { Body: body, Title: title, Footer: footer } = request.body
      const buttons = [toPixButton(request.session, request.body)]
      return sendInteractive(deps, '/send/pixbutton', request, flowOf(buttons), (chat) =>
        toInteractive(request.session, chat, { title, body, footer, buttons }),
      )
    },
  }),
  r.post('/send/reviewpay', {
    ignoresUnknown: true,
    summary: 'Send an order to review and pay by PIX',
    description:
      'The total is the sum of the items when `TotalValue` is absent. `Amount` is in units of 1/`TotalOffset`.',
    example: {
      Phone: '5511999999999',
      Body: 'Your order',
      PixKey: 'shop@example.com',
      PixType: 'EMAIL',
      MerchantName: 'Bakery',
      Items: [{ Name: 'Bread', Quantity: 2, Amount: 1000 }],
    },
    body: T.Object({
      ...sendFields,
      Body: LongText,
      ...pixFields,
      Title,
      Caption: T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Second line above the text' })),
      Footer,
      ...orderFields,
    }),
    response: Sent,
    handle: async (request, deps) => {
      const { Body: body, Title: title, Caption: subtitle, Footer: footer } = request.body
      const buttons = [toReviewButton(request.session, request.body)]
      return sendInteractive(deps, '/send/reviewpay', request, flowOf(buttons), (chat) =>
        toInteractive(request.session, chat, { title, subtitle, body, footer, buttons }),
      )
    },
  }),
]
