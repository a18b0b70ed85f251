import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type RouteBuilder,
  type Static,
  T,
} from 'wamux/plugin'
import { ACTION_NAMES } from './phone/actions/actions.ts'
import type { Phone } from './phone/phone.ts'
import type { Sandbox } from './sandbox.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sandbox'>

const access = 'admin' as const
const Text = (description: string, bound: object = { format: 'name' }) =>
  T.Optional(T.String({ ...bound, description }))
/** Phones may send longer texts than clients. */
const LONG = { maxLength: 2 * 1024 * 1024 }
const AnyObject = T.Record(T.String(), T.Unknown())
const Account = T.Object(
  {
    Phone: T.String(),
    JID: T.String(),
    LID: T.String(),
    Name: T.String(),
    Username: T.String(),
    On: T.Boolean({ description: 'Whether the phone is switched on' }),
    Companions: T.Array(T.Object({ JID: T.String(), Online: T.Boolean() })),
    Blocked: T.Array(T.String(), { description: 'LIDs' }),
    Groups: T.Array(T.String(), { description: 'JIDs' }),
    Calls: T.Array(
      T.Object({
        ID: T.String(),
        Chat: T.String(),
        FromMe: T.Boolean(),
        Video: T.Boolean(),
        State: T.String({ description: 'ringing, accepted, rejected or ended' }),
      }),
      { description: 'The latest' },
    ),
    PasskeyCode: T.String({ description: 'The code that the phone shows while linking with a passkey' }),
  },
  { title: 'SandboxAccount' },
)
const Linked = T.Object({
  JID: T.String({ description: 'JID of the new companion; empty if the network asks for a passkey first' }),
})

/** Routes that control the simulated phones and the network. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/sandbox/phones', {
    summary: 'Create an account with its own simulated phone',
    description: 'Only on the local network of the sandbox.',
    example: { Name: 'Rui' },
    chain: { saves: { newPhone: 'Phone' } },
    access,
    response: Account,
    body: T.Object({
      Phone: T.Optional(T.String({ format: 'phone', description: 'Number in digits; a free one if absent' })),
      Name: Text('Name shown to others'),
      Business: T.Optional(T.Boolean({ description: 'A business account' })),
      Username: Text('Username, without the @', { maxLength: 35, pattern: '^[A-Za-z0-9._]{3,35}$' }),
      HideNumber: T.Optional(
        T.Boolean({ description: 'Others see the LID and the username, not the number' }),
      ),
      Migrated: T.Optional(
        T.Boolean({ default: true, description: 'Its chats are addressed by LID, not by number' }),
      ),
    }),
    handle: async ({ body }, { sandbox }) =>
      accountView(
        await sandbox.phones.create({
          ...(body.Phone ? { phone: body.Phone } : {}),
          name: body.Name ?? '',
          business: body.Business ?? false,
          username: body.Username ?? '',
          hidesNumber: body.HideNumber ?? false,
          lidMigrated: body.Migrated ?? true,
        }),
        sandbox,
      ),
  }),
  r.get('/sandbox/phones', {
    summary: 'List the accounts',
    description: 'Only on the local network of the sandbox.',
    access,
    response: T.Object({ Phones: T.Array(Account) }),
    handle: async (_, { sandbox }) => ({
      Phones: sandbox.phones.all().map((phone) => accountView(phone, sandbox)),
    }),
  }),
  r.get('/sandbox/phones/:phone', {
    params: { phone: '5511999999999' },
    summary: 'Get an account: companions, groups, settings, block list',
    description: 'All that the network stores about it, for tests.',
    access,
    response: AnyObject,
    handle: async ({ params }, { sandbox }) => sandbox.phones.get(params['phone'] ?? '').view(),
  }),
  r.post('/sandbox/phones/:phone/scan', {
    params: { phone: '5511988888888' },
    chain: { uses: { phone: 'newPhone', Token: 'newToken' } },
    summary: 'Scan a QR code with the phone, which links the companion that shows it',
    description:
      'From the picture of `GET /session/qr`, or from the current code of the session with this token, id or name.',
    example: { Token: '0f8fad5bd9cb469fa16570867728950e' },
    access,
    response: Linked,
    body: T.Object({
      QRCode: Text('PNG data URL from /session/qr, or the text of the code', { format: 'file' }),
      Token: Text('Alternatively the token of the session whose current code is scanned', {
        format: 'token',
      }),
      Session: Text('Or the id or name of that session'),
    }),
    handle: async ({ body, params }, { sandbox, sessions }) => {
      const phone = sandbox.phones.get(params['phone'] ?? '')
      const code = body.QRCode ?? (await qrOf(sessions, body))
      return linked((asked) => phone.scan(code, asked))
    },
  }),
  r.post('/sandbox/phones/:phone/pair', {
    params: { phone: '5511988888888' },
    chain: { uses: { Code: 'pairingCode' } },
    summary: 'Enter a pairing code on the phone',
    description: 'The code of `POST /session/pair`.',
    example: { Code: 'ABCD1234' },
    access,
    response: Linked,
    body: T.Object({
      Code: T.String({ minLength: 1, format: 'token', description: 'The eight characters' }),
    }),
    handle: async ({ body, params }, { sandbox }) =>
      linked((asked) => sandbox.phones.get(params['phone'] ?? '').pair(body.Code, asked)),
  }),
  r.post('/sandbox/phones/:phone/actions', {
    params: { phone: '5511999999999' },
    summary: "Run an action of the phone's user: read, react, type, group, unlink …",
    description: 'The other fields depend on `Action`.',
    example: { Action: 'online' },
    access,
    response: AnyObject,
    body: T.Object({
      Action: T.String({ minLength: 1, format: 'name', description: ACTION_NAMES.join(', ') }),
      Chat: T.Optional(T.String({ format: 'phone', description: 'Number or JID of the chat' })),
      Id: Text('Message id', { format: 'id' }),
      Text: Text('Reaction, new text, or subject', LONG),
      Participants: T.Optional(T.Array(T.String({ format: 'phone' }), { description: 'Numbers or JIDs' })),
      Companion: Text('JID of a companion'),
      Data: T.Optional({
        ...AnyObject,
        maxSize: Number.POSITIVE_INFINITY,
        description: 'Further fields of the action',
      }),
    }),
    handle: async ({ body, params }, { sandbox }) => sandbox.phones.get(params['phone'] ?? '').act(body),
  }),
]

/** Resolves when the link is complete, or waits for the account's passkey, which the owner must confirm first. */
function linked(link: (asked: () => void) => Promise<string>): Promise<Static<typeof Linked>> {
  return new Promise((resolve, reject) => {
    link(() => resolve({ JID: '' })).then((JID) => resolve({ JID }), reject)
  })
}

function accountView(
  { account, display, isOn, passkey }: Phone,
  { network }: Sandbox,
): Static<typeof Account> {
  const { companions, blocked, groups } = network.brief(account)
  return {
    Phone: account.phone,
    JID: account.jid,
    LID: account.lid,
    Name: account.name,
    Username: account.username,
    On: isOn,
    Companions: companions.map(({ jid, isOnline }) => ({ JID: jid, Online: isOnline })),
    Blocked: blocked,
    Groups: groups,
    Calls: display.calls().map(({ id, chat, fromMe, isVideo, state }) => ({
      ID: id,
      Chat: chat,
      FromMe: fromMe,
      Video: isVideo,
      State: state,
    })),
    PasskeyCode: passkey.code,
  }
}

/** The current code of a session. */
async function qrOf(
  sessions: Deps['sessions'],
  { Token, Session }: { Token?: string; Session?: string },
): Promise<string> {
  if (!Token && !Session) throw gatewayError('FIELD_MISSING', ['QRCode'])
  const session = Token ? await sessions.byToken(Token) : await sessions.named(Session ?? '')
  if (!session) throw gatewayError('SESSION_UNKNOWN')
  return sessions.qr(session.id)
}
