import { Done } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, reasonOf, T } from 'wamux/plugin'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sandbox'>

const access = 'admin' as const
const AnyObject = T.Record(T.String(), T.Unknown())

/** Routes for a phone's part in linking with a passkey. */
export const passkeyRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/sandbox/phones/:phone/passkey/sign', {
    params: { phone: '5511999999999' },
    summary: "Sign a passkey challenge with the phone's own credential",
    description: 'For tests of linking with a passkey.',
    access,
    response: T.Object({ Credential: AnyObject }),
    body: T.Object({
      Challenge: T.Record(T.String(), T.Unknown(), { description: 'As returned by GET /session/passkey' }),
    }),
    handle: async ({ body, params }, { sandbox }) => ({
      Credential: { ...sandbox.phones.get(params['phone'] ?? '').passkey.sign(body.Challenge) },
    }),
  }),
  r.post('/sandbox/phones/:phone/passkey/credential', {
    params: { phone: '5511999999999' },
    summary: 'Register the credential of another authenticator, for example the virtual one of a browser',
    description: 'For tests of linking with a passkey.',
    access,
    response: Done,
    body: T.Object({
      Id: T.String({ minLength: 1, maxLength: 2_048, description: 'Id of the credential, base64url' }),
      PublicKey: T.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'P-256 key as SPKI, base64 or base64url',
      }),
    }),
    async handle({ body, params }, { sandbox }) {
      const { passkey } = sandbox.phones.get(params['phone'] ?? '')
      try {
        passkey.register(body.Id, Buffer.from(body.PublicKey, 'base64'))
      } catch (cause) {
        throw gatewayError('FIELD_INVALID', ['PublicKey', reasonOf(cause)], { cause })
      }
      return { Details: 'Credential registered' }
    },
  }),
  r.post('/sandbox/phones/:phone/passkey/compare', {
    params: { phone: '5511999999999' },
    summary: "Compare the session's code with the phone's; if they differ, the link ends",
    description: 'For tests of linking with a passkey.',
    example: { Code: 'ABCD-1234' },
    access,
    response: Done,
    body: T.Object({ Code: T.String({ minLength: 1, format: 'token', description: '`XXXX-XXXX`' }) }),
    async handle({ body, params }, { sandbox }) {
      sandbox.phones.get(params['phone'] ?? '').passkey.compare(body.Code)
      return { Details: 'The codes are equal' }
    },
  }),
]
