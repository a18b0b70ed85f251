import type { GatewayServices } from 'wamux/plugin'

/** What a client sends with its login or its registration. */
export type Payload = ReturnType<GatewayServices['wire']['proto']['ClientPayload']['decode']>

/** The version of a client that logged in, or registered to be linked. */
export interface LoginRecord {
  At: string
  /** Empty for a registration. */
  Phone: string
  Device: number
  AppVersion: string
  /** Hex; only registrations have one. */
  BuildHash: string
  /** Code of the failure that it was refused with; empty if it was let in. */
  Refused: string
}

const KEPT = 1_000

export function recordLogin(logins: LoginRecord[], payload: Payload, refused = ''): void {
  const isRegistration = Boolean(payload.devicePairingData)
  logins.push({
    At: new Date().toISOString(),
    Phone: isRegistration ? '' : String(payload.username ?? ''),
    Device: payload.device ?? 0,
    AppVersion: versionOf(payload).join('.'),
    BuildHash: Buffer.from(payload.devicePairingData?.buildHash ?? []).toString('hex'),
    Refused: refused,
  })
  if (logins.length > KEPT) logins.shift()
}

export function versionOf({ userAgent }: Payload): number[] {
  const { primary, secondary, tertiary } = userAgent?.appVersion ?? {}
  return [primary ?? 0, secondary ?? 0, tertiary ?? 0]
}
