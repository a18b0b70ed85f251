import { gatewayError, type Kernel, type RouteBuilder, type Session, type Socket, T } from 'wamux/plugin'
import type { Static } from './schemas.ts'

/** JSON defined by the WebAuthn standard. */
const Challenge = T.Record(T.String(), T.Unknown(), {
  description:
    'The request options of the WebAuthn assertion, for `PublicKeyCredential.parseRequestOptionsFromJSON` on a page of https://web.whatsapp.com; in the state `challenge`',
})
const Passkey = T.Object(
  {
    State: T.String({ description: 'none, challenge, submitted, confirm, confirmed or failed' }),
    Challenge: T.Optional(Challenge),
    Code: T.Optional(
      T.String({ description: '`XXXX-XXXX`, to compare with the phone; in the state `confirm`' }),
    ),
    ExpiresAt: T.Optional(T.String({ description: 'When the step times out, RFC 3339' })),
    Reason: T.Optional(T.String({ description: 'Why it failed' })),
  },
  { title: 'Passkey' },
)
const MAX_BYTES = 16_384
const Bytes = (description: string) =>
  T.String({ minLength: 1, maxLength: MAX_BYTES, description: `${description}, base64url` })

/** Linking with the passkey of the account. */
export const passkeyRoutes = <D extends Kernel<unknown>>(r: RouteBuilder<D>) => [
  r.get('/session/passkey', {
    summary: 'Read the state of linking with a passkey',
    scope: 'manage',
    description:
      'Some accounts must prove their passkey after the QR code or the pairing code. The owner signs `Challenge` in a browser, on a page of https://web.whatsapp.com.',
    access: 'client',
    response: Passkey,
    handle: async ({ session }) => toAnswer(session.socket?.passkey.status() ?? { state: 'none' }),
  }),
  r.post('/session/passkey', {
    leaves: [],
    summary: 'Answer the passkey challenge',
    example: {
      id: 'AQIDBA',
      rawId: 'AQIDBA',
      type: 'public-key',
      response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
    },
    description: 'The body is the JSON of `PublicKeyCredential.toJSON()`. Invalid answers are not passed on.',
    access: 'client',
    audit: 'session.passkey',
    body: T.Object(
      {
        id: Bytes('Id of the credential'),
        rawId: Bytes('The same id'),
        type: T.String({ format: 'name', description: '`public-key`' }),
        response: T.Object(
          {
            clientDataJSON: Bytes('What the browser signed'),
            authenticatorData: Bytes('What the authenticator signed'),
            signature: Bytes('The signature'),
            userHandle: T.Optional(T.Union([T.String({ maxLength: MAX_BYTES }), T.Null()])),
          },
          { additionalProperties: true },
        ),
      },
      { additionalProperties: true },
    ),
    response: Passkey,
    handle: async ({ body, session }) => toAnswer(await passkeyOf(session).submit(body)),
  }),
  r.post('/session/passkey/confirm', {
    leaves: [],
    summary: 'Confirm that the phone shows the same code',
    description:
      'Call it when the state of `GET /session/passkey` is `confirm` and the owner has compared its code with the phone.',
    access: 'client',
    audit: 'session.passkey',
    response: Passkey,
    handle: async ({ session }) => toAnswer(await passkeyOf(session).confirm()),
  }),
]

function passkeyOf({ socket }: Session): Socket['passkey'] {
  if (!socket) throw gatewayError('NO_CLIENT')
  return socket.passkey
}

function toAnswer(status: ReturnType<Socket['passkey']['status']>): Static<typeof Passkey> {
  const { state, challenge, code, expiresAt, reason } = status
  return {
    State: state,
    ...(challenge ? { Challenge: { ...challenge } } : {}),
    ...(code ? { Code: code } : {}),
    ...(expiresAt ? { ExpiresAt: expiresAt } : {}),
    ...(reason ? { Reason: reason } : {}),
  }
}
