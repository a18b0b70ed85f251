import { qrPicture } from 'wamux/messaging'
import { type EventDeclaration, type Recording, type Signal, T } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Connected: { event: { JID: string; LID: string; PushName: string } }
    Disconnected: { event: { Reason: string; Details: string; RetryIn?: number } }
    ConnectFailure: { event: { Reason: string; Message: string } }
    PairSuccess: { event: { ID: string; LID: string; BusinessName: string; Platform: string } }
    QR: { event: { event: 'code'; code: string; expires: number }; qrCodeBase64: string }
    QRTimeout: { event: { Details: string } }
    PasskeyRequired: { event: { Details: string } }
    PasskeyConfirmation: { event: { Code: string } }
    PasskeyFailed: { event: { Reason: string } }
    LoggedOut: { event: { OnConnect: boolean; Reason: number } }
  }
}

const Words = T.String()

/** The events of the session itself; all except LoggedOut are delivered only to subscribers of All. */
export const events = {
  Connected: {
    class: 'All',
    summary: 'The session is connected',
    schema: T.Object({ JID: Words, LID: Words, PushName: Words }),
  },
  Disconnected: {
    class: 'All',
    summary: 'The session was disconnected',
    schema: T.Object({ Reason: Words, Details: Words, RetryIn: T.Optional(T.Integer()) }),
  },
  ConnectFailure: {
    class: 'All',
    summary: 'The connection was refused and is not retried soon',
    schema: T.Object({ Reason: Words, Message: Words }),
  },
  PairSuccess: {
    class: 'All',
    summary: 'A phone was linked to the session',
    schema: T.Object({ ID: Words, LID: Words, BusinessName: Words, Platform: Words }),
  },
  QR: {
    class: 'All',
    summary: 'A new QR code can be scanned',
    schema: T.Object({
      event: T.String({ description: 'Always `code`' }),
      code: T.String({ description: 'The text of the QR code' }),
      expires: T.Integer({ description: 'Milliseconds until the next code replaces it' }),
    }),
    beside: { qrCodeBase64: T.String({ description: 'The code as a PNG picture, data URL' }) },
  },
  QRTimeout: {
    class: 'All',
    summary: 'No QR code was scanned in time',
    schema: T.Object({ Details: Words }),
  },
  PasskeyRequired: {
    class: 'All',
    summary: 'The account requires its passkey: GET /session/passkey has the challenge',
    schema: T.Object({ Details: Words }),
  },
  PasskeyConfirmation: {
    class: 'All',
    summary: 'A code must be compared with the one on the phone and confirmed',
    schema: T.Object({ Code: T.String({ description: '`XXXX-XXXX`' }) }),
  },
  PasskeyFailed: {
    class: 'All',
    summary: 'Linking with the passkey failed; it can begin again with a new QR code',
    schema: T.Object({ Reason: Words }),
  },
  LoggedOut: {
    class: 'LoggedOut',
    summary: 'The link was ended by the account or by a logout',
    schema: T.Object({ OnConnect: T.Boolean(), Reason: T.Integer() }),
  },
} satisfies Record<string, EventDeclaration>

const one = (type: keyof typeof events, event: Record<string, unknown>): Recording => ({
  events: [{ type, body: { event } }],
})

export const translate = {
  'session.opened': ({ data }: Signal<'session.opened'>) =>
    one('Connected', { JID: data.jid, LID: data.lid, PushName: data.name }),
  'session.paired': ({ data }: Signal<'session.paired'>) =>
    one('PairSuccess', {
      ID: data.jid,
      LID: data.lid,
      BusinessName: data.businessName,
      Platform: data.platform,
    }),
  'session.qr': async ({ data: { code, expires } }: Signal<'session.qr'>): Promise<Recording> => {
    const body = { event: { event: 'code', code, expires }, qrCodeBase64: await qrPicture(code) }
    return { events: [{ type: 'QR', body }] }
  },
  'session.passkey': ({ data: { step, detail } }: Signal<'session.passkey'>) => PASSKEY[step](detail),
  'session.closed': ({ data }: Signal<'session.closed'>) => closed(data),
}

const PASSKEY: Readonly<Record<Signal<'session.passkey'>['data']['step'], (detail: string) => Recording>> = {
  passkey: (detail) => one('PasskeyRequired', { Details: detail }),
  'passkey-confirm': (detail) => one('PasskeyConfirmation', { Code: detail }),
  'passkey-failed': (detail) => one('PasskeyFailed', { Reason: detail }),
}

const REFUSALS: ReadonlySet<string> = new Set(['outdated', 'bad-user-agent', 'unknown-client', 'untrusted'])

function closed({ reason, detail, retryIn }: Signal<'session.closed'>['data']): Recording | undefined {
  // The network requests a restart after each pairing: it is part of linking.
  if (reason === 'restart') return undefined
  if (reason === 'logged-out') return one('LoggedOut', { OnConnect: false, Reason: 401 })
  if (reason === 'banned') return one('LoggedOut', { OnConnect: true, Reason: 403 })
  if (reason === 'qr-ended') return one('QRTimeout', { Details: detail })
  if (REFUSALS.has(reason) && retryIn === undefined)
    return one('ConnectFailure', { Reason: reason, Message: detail })
  return one('Disconnected', {
    Reason: reason,
    Details: detail,
    ...(retryIn === undefined ? {} : { RetryIn: retryIn }),
  })
}
