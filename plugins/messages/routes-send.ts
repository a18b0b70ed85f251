import { altOf } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { State, States } from './state/states.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'messageTimes'> & { states: States }

const Time = (description: string) => T.Optional(T.String({ description: `${description}, RFC 3339` }))

const STATUS = {
  queued: 'Pending',
  sending: 'Pending',
  acked: 'Sent',
  failed: 'Failed',
  unknown: 'Unknown',
} as const

/** The state of a send by its id, with or without a link. */
export const sendRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/send/:id', {
    summary: 'Read the state of a send',
    description:
      "By the message id of a send of this session: the client's `Id`, or the one in the answer. `Pending`: it is being sent or waits for the connection; `Sent`: WhatsApp has it; `Failed`: it was refused or given up, and can be repeated with the same `Id` if `ErrorCode` says that time can help; `Unknown`: WhatsApp may have it, and the same `Id` sends it at most once. A late answer from WhatsApp, or a receipt, turns `Unknown` and `Failed` into `Sent`. Kept for 14 days.",
    access: 'token',
    scope: 'read',
    isFiltered: true,
    params: { id: '3EB0F4A1C2D3E4F5A6B7C8' },
    errors: ['MESSAGE_UNKNOWN'],
    response: T.Object(
      {
        Id: T.String(),
        Chat: T.String(),
        Status: T.Enum(['Pending', 'Sent', 'Failed', 'Unknown'] as const),
        Stored: T.String({ description: 'When it was stored to be sent, RFC 3339' }),
        Written: Time('When it was last written to the connection; present once the outcome is known'),
        Acknowledged: Time("When WhatsApp accepted it, by WhatsApp's clock"),
        Delivered: Time("When it reached the first recipient, by WhatsApp's clock, like the next two"),
        Read: Time('When the first recipient read it'),
        Played: Time('When the first recipient played it'),
        Ended: Time('When its outcome was known here'),
        Error: T.Optional(T.String({ description: 'Why it failed or is unknown' })),
        ErrorCode: T.Optional(T.String({ description: 'Code of that error' })),
      },
      { title: 'SendState' },
    ),
    async handle({ params: { id = '' }, session, viewer }, { messageTimes, states }) {
      const sent = await messageTimes.sent(session.id, id, viewer)
      if (!sent) throw gatewayError('MESSAGE_UNKNOWN')
      const { chat, state, accepted, written, ended, acked, error, errorCode } = sent
      // A receipt may belong to another chat that has a message with that id.
      const chats = [chat, await altOf(session, chat)]
      const reached = (await states.reached(session.id, id, viewer)).filter((one) => chats.includes(one.chat))
      const timeOf = (name: State): string | undefined => reached.find((one) => one.state === name)?.time
      const [delivered, read, played] = [timeOf('Delivered'), timeOf('Read'), timeOf('Played')]
      const status = delivered || read || played ? 'Sent' : STATUS[state]
      const isUnsent = status === 'Failed' || status === 'Unknown'
      return {
        Id: id,
        Chat: chat,
        Status: status,
        Stored: new Date(accepted).toISOString(),
        ...(written > 0 ? { Written: new Date(written).toISOString() } : {}),
        ...(acked ? { Acknowledged: acked } : {}),
        ...(delivered ? { Delivered: delivered } : {}),
        ...(read ? { Read: read } : {}),
        ...(played ? { Played: played } : {}),
        ...(ended > 0 ? { Ended: new Date(ended).toISOString() } : {}),
        ...(isUnsent ? { Error: error, ErrorCode: errorCode } : {}),
      }
    },
  }),
]
