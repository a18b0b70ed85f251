import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { linkSession, type TestSession } from '../../plugins/sandbox/testing/sessions.ts'
import type { Calls } from './calls.ts'
import { eventually } from './eventually.ts'
import { ADMIN } from './gateway.ts'

export { sessionOf } from '../../plugins/sandbox/testing/sessions.ts'

export const admin = { admintoken: ADMIN }

/** A session that a phone of the local network has linked. */
export type LinkedSession = TestSession<Phone>

/** Links a new session of any gateway, in this process or another, as people do: the phone scans the QR code. */
export function linkPhone(
  gateway: Calls,
  phone: Phone,
  options: { subscribe?: readonly string[] } = {},
): Promise<LinkedSession> {
  const link = async ({ get }: LinkedSession) => phone.scan((await get('/session/qr')).data.QRCode)
  return linkSession(gateway, admin, phone, { name: phone.account.name, link, ...options })
}

/**
 * Waits until the event log of a session has a message with that text. A receipt does not show it: the phone of the account
 * sends one of its own.
 */
export async function messageLogged(
  gateway: Pick<Calls, 'get'>,
  headers: Record<string, string>,
  text: string,
): Promise<void> {
  await eventually(async () => {
    const { data } = await gateway.get('/events?limit=1000&class=Message', headers)
    return JSON.stringify(data.Events).includes(text)
  }, `"${text}" logged`)
}
