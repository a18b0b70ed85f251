import { gatewayError, type Kernel, type RouteBuilder, type Session, T } from 'wamux/plugin'
import { qrPicture } from './qr.ts'
import { Done, Row, RowWithState, type Static, Subscribe } from './schemas.ts'

const PHONE = T.Optional(
  T.String({
    format: 'phone',
    description: 'Phone number of the account, digits',
    examples: ['5511999999999'],
  }),
)
const IMMEDIATE = T.Optional(
  T.Boolean({
    description: 'Answer at once (default); false waits up to 10 s for the link or the first QR code',
  }),
)

export const routes = <D extends Kernel<unknown>>(r: RouteBuilder<D>) => [
  r.post('/session/init', {
    summary: 'Create a session',
    access: 'admin',
    audit: 'session.init',
    body: T.Object({
      Name: T.Optional(T.String({ description: 'Your name for it' })),
      Token: T.Optional(
        T.String({
          description: 'Its token, 16 characters or more; spaces are removed; a random one when absent',
        }),
      ),
      Os: T.Optional(T.String({ maxLength: 50, description: "Name in the phone's list of linked devices" })),
      Webhook: T.Optional(T.String({ description: 'URL that events are delivered to' })),
      Subscribe,
    }),
    response: Row,
    async handle({ body }, { sessions, events }) {
      events.assertClasses(body.Subscribe)
      const {
        Name: name = '',
        Token: token = '',
        Os: os = '',
        Webhook: webhook = '',
        Subscribe: subscribe = [],
      } = body
      return toRow(await sessions.create({ name, token, os, webhook, subscribe }))
    },
  }),
  r.post('/session/connect', {
    summary: 'Start the client; restores a linked session without a QR code',
    access: 'token',
    body: T.Object({ Subscribe, Immediate: IMMEDIATE, Phone: PHONE }),
    response: T.Object({
      details: T.String(),
      events: T.String(),
      jid: T.String(),
      webhook: T.String(),
      LinkingCode: T.Optional(T.String()),
    }),
    async handle({ body, session }, { sessions, events }) {
      events.assertClasses(body.Subscribe)
      const isUp = session.connected
      if (body.Subscribe)
        await sessions.update(session.id, { subscribe: body.Subscribe.length > 0 ? body.Subscribe : ['All'] })
      const now = await sessions.connect(session.id, { wait: body.Immediate === false })
      const code =
        body.Phone && !now.jid ? { LinkingCode: await sessions.pair(session.id, digits(body.Phone)) } : {}
      const details = isUp ? 'Already Connected' : 'Connected!'
      return { details, events: now.subscribe.join(','), jid: now.jid, webhook: now.webhook, ...code }
    },
  }),
  r.post('/session/pair', {
    summary: 'Link by pairing code instead of a QR code',
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
    response: T.Object({ LinkingCode: T.String(), PairingCode: T.String() }),
    async handle({ body, session }, { sessions, events }) {
      events.assertClasses(body.Subscribe)
      if (body.Subscribe?.length) await sessions.update(session.id, { subscribe: body.Subscribe })
      const code = await sessions.pair(session.id, digits(body.Phone))
      return { LinkingCode: code, PairingCode: code }
    },
  }),
  r.get('/session/qr', {
    summary: 'The QR code to scan, as a picture',
    access: 'client',
    response: T.Object({ QRCode: T.String({ description: 'PNG data URL, 256 pixels' }) }),
    handle: async ({ session }, { sessions }) => ({ QRCode: await qrPicture(await sessions.qr(session.id)) }),
  }),
  r.get('/session/status', {
    summary: 'Whether the session is connected and logged in, and why not',
    access: 'client',
    response: T.Object({
      Connected: T.Boolean({ description: 'The network was heard from lately' }),
      LoggedIn: T.Boolean(),
      Jid: T.String(),
      Name: T.String(),
      Events: T.String(),
      Webhook: T.String(),
      State: T.String({
        description: 'connecting, scan, code, passkey, open, waiting, logged-out, replaced, banned or failed',
      }),
      Reason: T.String({ description: 'Why, in words' }),
    }),
    handle: async ({ session }) => ({
      Connected: session.connected,
      LoggedIn: session.loggedIn,
      Jid: session.jid,
      Name: session.name,
      Events: session.subscribe.join(','),
      Webhook: session.webhook,
      State: session.state,
      Reason: session.reason,
    }),
  }),
  r.post('/session/disconnect', {
    summary: 'Stop the client; the link stays',
    access: 'client',
    response: Done,
    async handle({ session }, { sessions }) {
      await sessions.disconnect(session.id)
      return { Details: 'Disconnected' }
    },
  }),
  r.post('/session/logout', {
    summary: 'End the link; the next connect needs a scan',
    access: 'login',
    audit: 'session.logout',
    response: Done,
    async handle({ session }, { sessions }) {
      await sessions.logout(session.id)
      return { Details: 'Logged out' }
    },
  }),
  r.get('/session/all', {
    summary: 'List all sessions',
    access: 'admin',
    audit: 'session.list',
    response: T.Array(RowWithState),
    handle: async (_, { sessions }) => (await sessions.list()).map(toRowWithState),
  }),
  r.post('/session/scanned', {
    summary: 'List the sessions that are linked',
    access: 'admin',
    audit: 'session.list',
    response: T.Array(RowWithState),
    handle: async (_, { sessions }) => (await sessions.list()).filter(({ jid }) => jid).map(toRowWithState),
  }),
  r.post('/session/delete', {
    summary: 'Delete a session and everything stored of it',
    access: 'admin',
    audit: 'session.delete',
    description: 'The target is named by the header `token`, or else by `Token` in the body or the query.',
    body: T.Object({ Token: T.Optional(T.String({ description: 'The session to delete' })) }),
    response: T.Object({ Id: T.String(), Name: T.String(), JID: T.String(), Details: T.String() }),
    async handle({ body, header, query }, { sessions }) {
      const token = header('token') || body.Token || query.get('token')
      if (!token) throw gatewayError('FIELD_MISSING', ['Token'])
      const found = await sessions.byToken(token)
      if (!found) throw gatewayError('SESSION_UNKNOWN')
      const { id, name, jid } = await sessions.remove(found.id)
      return { Id: id, Name: name, JID: jid, Details: 'User deleted successfully' }
    },
  }),
]

function toRow({ id, name, token, os, webhook, subscribe, jid }: Session): Static<typeof Row> {
  return { Id: id, Name: name, Token: token, Os: os, webhook, subscribe: [...subscribe], JID: jid }
}

function toRowWithState(session: Session): Static<typeof RowWithState> {
  return { ...toRow(session), Connected: session.connected, LoggedIn: session.loggedIn }
}

function digits(phone: string): string {
  const number = phone.replace(/@s\.whatsapp\.net$/, '').replace(/[\s()+.-]/g, '')
  if (!/^\d{7,15}$/.test(number))
    throw gatewayError('PHONE_INVALID', [`"${phone}" is not a phone number with country code`])
  return number
}
