import type { About, Named, Readers } from '../dialect.ts'

/** Codes there for an end of the link without a code of the network: a bad session, and a closed connection. */
const BAD_SESSION = 500
const CLOSED = 428

export const sessionReaders: Readers = {
  QR: ({ event: { code }, qrCodeBase64: base64 }, { session }) => [
    {
      event: 'qrcode.updated',
      data: { qrcode: { instance: session.name, pairingCode: null, code, base64 } },
    },
  ],
  QRTimeout: ({ event }, about) => [
    { event: 'qrcode.updated', data: { message: event.Details, statusCode: BAD_SESSION } },
    connection('refused', CLOSED, about, { wuid: about.jid, profileName: '', profilePictureUrl: null }),
  ],
  Connected: ({ event }, about) => [
    connection('open', 200, about, {
      wuid: event.JID,
      profileName: event.PushName,
      profilePictureUrl: null,
    }),
  ],
  Disconnected: ({ event }, about) => [
    connection(event.RetryIn === undefined ? 'close' : 'connecting', CLOSED, about),
  ],
  ConnectFailure: (_, about) => [connection('close', CLOSED, about)],
  LoggedOut: ({ event: { Reason } }, about) => [
    {
      event: 'status.instance',
      data: {
        instance: about.session.name,
        status: 'closed',
        disconnectionAt: about.line.time,
        disconnectionReasonCode: Reason,
        disconnectionObject: '{}',
      },
    },
    connection('close', Reason, about),
    { event: 'logout.instance', data: null },
  ],
}

function connection(state: string, statusReason: number, { session }: About, more: object = {}): Named {
  return { event: 'connection.update', data: { instance: session.name, ...more, state, statusReason } }
}
