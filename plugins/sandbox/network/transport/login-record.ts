import type { GatewayServices } from 'wamux/plugin'
import { differences, type Expected, fieldsOf, type Payload, type PayloadFields } from './web-payload.ts'

/** What a client declared when it logged in, or registered to be linked. */
export interface LoginRecord {
  At: string
  /** Empty for a registration. */
  Phone: string
  Device: number
  AppVersion: string
  /** Hex; only registrations have one. */
  BuildHash: string
  /** Failure code with which it was refused; empty if it was accepted. */
  Refused: string
  /** All fields of the payload except its keys, by path. */
  Fields: PayloadFields
  /** The fields that WhatsApp Web in a browser sends differently, or not at all. */
  DiffersFromWaWeb: string[]
}

const KEPT = 1_000

export function recordLogin(
  { logins, wire }: { logins: LoginRecord[]; wire: GatewayServices['wire'] },
  payload: Payload,
  expected: Omit<Expected, 'isRegistration'>,
  refused = '',
): void {
  const isRegistration = Boolean(payload.devicePairingData)
  const fields = fieldsOf(wire, payload)
  logins.push({
    At: new Date().toISOString(),
    Phone: isRegistration ? '' : String(payload.username ?? ''),
    Device: payload.device ?? 0,
    AppVersion: versionOf(payload).join('.'),
    BuildHash: Buffer.from(payload.devicePairingData?.buildHash ?? []).toString('hex'),
    Refused: refused,
    Fields: fields,
    DiffersFromWaWeb: differences(fields, { ...expected, isRegistration }),
  })
  if (logins.length > KEPT) logins.shift()
}

export function versionOf({ userAgent }: Payload): number[] {
  const { primary, secondary, tertiary } = userAgent?.appVersion ?? {}
  return [primary ?? 0, secondary ?? 0, tertiary ?? 0]
}
