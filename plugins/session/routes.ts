import { qrPicture, qrPng, qrText, Subscribe, subscribeNotice } from 'wamux/messaging'
import {
  gatewayError,
  type Kernel,
  type RouteBuilder,
  reply,
  type Session,
  type Subscription,
  T,
} from 'wamux/plugin'
import type { History } from './history.ts'
import { Done } from './schemas.ts'
import { stateFields, stateView } from './state-view.ts'

const PHONE = T.Optional(
  T.String({
    format: 'phone',
    description: 'Phone number of the account, digits',
    examples: ['5511999999999'],
  }),
)
const IMMEDIATE = T.Optional(
  T.Boolean({
    description: 'Answer at once (default); false waits up to 10 s for the connection or the first QR code',
  }),
)

/** The routes of a session's own token. */
export const routes = <D extends Kernel<unknown> & { history: History }>(r: RouteBuilder<D>) => [
  r.post('/session/connect', {
    ignoresUnknown: true,
    leaves: [],
    isIdempotent: true,
    summary: 'Start the client; restores a linked session without a QR code',
    description:
      'With `Immediate` false it waits until the session is connected or has a QR code. Repeating it is harmless.',
    example: { Subscribe: ['Message'], Immediate: false },
    chain: { uses: { token: 'newToken' } },
    errors: ['NETWORK_FAILED', 'NETWORK_SILENT'],
    access: 'token',
    body: T.Object({ Subscribe, Immediate: IMMEDIATE, Phone: PHONE }),
    response: T.Object({
      details: T.String(),
      events: T.String(),
      jid: T.String(),
      webhook: T.String(),
      LinkingCode: T.Optional(T.String()),
      ...subscribeNotice,
    }),
    async handle({ body, session }, deps) {
      const { sessions } = deps
      const isUp = session.connected
      const notice = await subscribe(deps, session, body.Subscribe)
      const now = await sessions.connect(session.id, { wait: body.Immediate === false })
      const code =
        body.Phone && !now.jid ? { LinkingCode: await sessions.pair(session.id, digits(body.Phone)) } : {}
      const details = isUp ? 'Already Connected' : 'Connected!'
      return {
        details,
        events: now.subscribe.join(','),
        jid: now.jid,
        webhook: now.webhook,
        ...code,
        ...notice,
      }
    },
  }),
  r.get('/session/qr', {
    ignoresUnknown: true,
    summary: 'Read the current QR code as a picture',
    description:
      'A data URL for an `<img>`; with `format=png` the picture itself, with `format=text` lines that draw it in a terminal. The code changes while it waits: read it again until `GET /session/status` shows that the session is logged in.',
    chain: { uses: { token: 'newToken' } },
    errors: ['NETWORK_FAILED'],
    scope: 'manage',
    access: 'client',
    body: T.Object({
      format: T.Optional(T.Enum(['png', 'text'], { description: 'JSON with a data URL when absent' })),
    }),
    response: T.Object({ QRCode: T.String({ description: 'PNG data URL, 256 pixels' }) }),
    async handle({ session, body }, { sessions }) {
      const code = await sessions.qr(session.id)
      if (body.format === 'text')
        return reply(await qrText(code), { 'content-type': 'text/plain; charset=utf-8' })
      if (body.format === 'png') return reply(await qrPng(code), { 'content-type': 'image/png' })
      return { QRCode: await qrPicture(code) }
    },
  }),
  r.post('/session/pair', {
    ignoresUnknown: true,
    leaves: [],
    summary: 'Link by pairing code instead of a QR code',
    description:
      'The owner types `LinkingCode` into the phone: linked devices, link with phone number. It starts the client itself.',
    example: { Phone: '5511988888888' },
    chain: { uses: { token: 'newToken' }, saves: { pairingCode: 'PairingCode' } },
    errors: ['NETWORK_FAILED', 'NETWORK_SILENT'],
    access: 'token',
    audit: 'session.pair',
    body: T.Object({
      Phone: T.String({
        minLength: 1,
        format: 'phone',
        description: 'Phone number of the account, digits',
        examples: ['5511999999999'],
      }),
      Subscribe,
      Immediate: IMMEDIATE,
    }),
    response: T.Object({ LinkingCode: T.String(), PairingCode: T.String(), ...subscribeNotice }),
    async handle({ body, session }, deps) {
      const notice = await subscribe(deps, session, body.Subscribe)
      const code = await deps.sessions.pair(session.id, digits(body.Phone))
      return { LinkingCode: code, PairingCode: code, ...notice }
    },
  }),
  r.get('/session/status', {
    ignoresUnknown: true,
    summary: 'Read whether the session is connected and logged in, or why not',
    description: '409 `NO_CLIENT` while no client is started.',
    access: 'client',
    response: T.Object({
      Connected: T.Boolean({
        description: 'A client is active in memory: it has a link, or opens one by itself; `State` has more',
      }),
      LoggedIn: T.Boolean({ description: 'The device is linked, and the network has responded recently' }),
      Jid: T.String(),
      Name: T.String(),
      Events: T.String(),
      Webhook: T.String(),
      ...stateFields,
    }),
    handle: async ({ session }, { history }) => ({
      Connected: session.connected,
      LoggedIn: session.loggedIn,
      Jid: session.jid,
      Name: session.name,
      Events: session.subscribe.join(','),
      Webhook: session.webhook,
      ...stateView(session, history),
    }),
  }),
  r.post('/session/logout', {
    ignoresUnknown: true,
    leaves: [],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Unlink the session; the next connect needs a new scan',
    description:
      'The phone no longer lists it as a linked device. The session, its token and its webhook are kept.',
    chain: { uses: { token: 'newToken' }, isLast: true },
    access: 'login',
    audit: 'session.logout',
    response: Done,
    async handle({ session }, { sessions }) {
      await sessions.logout(session.id)
      return { Details: 'Logged out' }
    },
  }),
  r.post('/session/disconnect', {
    ignoresUnknown: true,
    leaves: [],
    isIdempotent: true,
    summary: 'Stop the client; the session stays linked',
    description:
      '`POST /session/connect` continues without a scan and receives the messages that arrived meanwhile.',
    chain: { uses: { token: 'newToken' }, isLast: true },
    access: 'client',
    response: Done,
    async handle({ session }, { sessions }) {
      await sessions.disconnect(session.id)
      return { Details: 'Disconnected' }
    },
  }),
]

/** Stores the classes if any were given; returns the notice about unknown ones. */
async function subscribe(
  { sessions, events }: Pick<Kernel<unknown>, 'sessions' | 'events'>,
  session: Session,
  names: readonly string[] | undefined,
): Promise<Subscription['notice']> {
  if (!names) return {}
  const { classes, notice } = events.subscription(names)
  await sessions.update(session.id, { subscribe: classes })
  return notice
}

function digits(phone: string): string {
  const number = phone.replace(/@s\.whatsapp\.net$/, '').replace(/[\s()+.-]/g, '')
  if (!/^\d{7,15}$/.test(number))
    throw gatewayError('PHONE_INVALID', [`"${phone}" is not a phone number with country code`])
  return number
}
