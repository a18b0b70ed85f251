import { Id } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, pageOf, type RouteBuilder, T } from 'wamux/plugin'
import type { Stored } from './phone/messages/store.ts'
import type { Phone } from './phone/phone.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sandbox'>

const access = 'admin' as const
/** Phones may send longer texts than clients. */
const LONG = { maxLength: 2 * 1024 * 1024 }
const AnyObject = T.Record(T.String(), T.Unknown())

/** Routes for the messages that a phone sends and receives. */
export const messageRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/sandbox/phones/:phone/messages', {
    params: { phone: '5511999999999' },
    summary: 'Send a message from the phone',
    description: 'Encrypted as by a real phone. The answer contains the message id.',
    example: { To: '5511955555555', Text: 'Hi' },
    access,
    response: T.Object({ Id: T.String() }),
    body: T.Object({
      To: T.String({ minLength: 1, format: 'phone', description: 'Number or JID' }),
      Id,
      Text: T.Optional(T.String({ ...LONG, description: 'Plain text' })),
      Message: T.Optional({
        ...AnyObject,
        maxSize: Number.POSITIVE_INFINITY,
        description: 'Message as JSON; media as `{ image: "data:…", caption }`',
      }),
      Plain: T.Optional(
        T.String({ ...LONG, description: 'The encoded message as base64, sent as it is: any bytes' }),
      ),
      Edit: T.Optional(
        T.String({
          maxLength: 2,
          description: 'The `edit` attribute of the stanza, whatever the content: 1 edits, 7 and 8 revoke',
        }),
      ),
    }),
    handle: async ({ body, params }, { sandbox }) => ({
      Id: await sandbox.phones.get(params['phone'] ?? '').send(body.To, {
        Id: body.Id,
        Text: body.Text,
        Message: body.Message as Record<string, unknown> | undefined,
        Plain: body.Plain,
        Edit: body.Edit,
      }),
    }),
  }),
  r.get('/sandbox/phones/:phone/messages', {
    query: ['after', 'wait'],
    params: { phone: '5511999999999' },
    summary: 'List the messages that the phone received and decrypted, in order',
    description:
      'At most a megabyte; `?after=` continues after a seq, `?wait=` waits that many seconds for the first message.',
    access,
    response: T.Object({ Messages: T.Array(AnyObject) }),
    handle: async ({ query, params }, { sandbox }) => {
      const phone = sandbox.phones.get(params['phone'] ?? '')
      const after = wholeNumber('after', query.get('after'))
      await waitForMessage(phone, after, Math.min(wholeNumber('wait', query.get('wait')), 60))
      const { items } = pageOf(phone.messages(after), messageView)
      return { Messages: items }
    },
  }),
]

function messageView({ raw: _raw, envelope: _envelope, ...message }: Stored): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(message).map(([key, value]) => [
      key === 'id' ? 'ID' : key[0]?.toUpperCase() + key.slice(1),
      value,
    ]),
  )
}

async function waitForMessage(phone: Phone, after: number, seconds: number): Promise<void> {
  if (seconds > 0) await phone.wait(({ seq }) => seq > after, seconds * 1000).catch(() => undefined)
}

function wholeNumber(field: string, text: string | null): number {
  const value = Number(text ?? 0)
  if (!Number.isInteger(value) || value < 0)
    throw gatewayError('FIELD_INVALID', [field, 'must be a whole number'])
  return value
}
