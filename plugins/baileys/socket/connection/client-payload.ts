import type { proto as Proto, WASocket } from '@whiskeysockets/baileys'
import { proto } from '../../baileys.ts'
import { PayloadCountry } from '../../patches/client-payload.ts'
import type { StoredCreds } from '../../protocol/credentials.ts'
import { systemOf } from '../../protocol/device-system.ts'
import { type Locale, localeOf } from './locale.ts'

type Payload = Proto.IClientPayload

/** What a session reports about itself beyond Baileys' own fields. */
export interface ClientFacts {
  /** Name in the phone's list of linked devices; empty for the default system. */
  os: string
  /** International number, digits only; empty before it is linked. */
  phone: string
  /** Logins of the session before this one. */
  logins: number
  /** Logins in this process. */
  attempts: number
  /** Whether the account's chats are addressed by LID. */
  isLidMigrated: boolean
}

/** As WhatsApp Web does (ZP WaClientPayload.ts); all other fields are Baileys'. */
const HISTORY = { supportCallLogHistory: true, supportGroupHistory: true, thumbnailSyncDaysLimit: 60 }

/** The country code for a socket's configuration, which completes its payload. */
export function payloadCountry(facts: ClientFacts): PayloadCountry {
  const locale = localeOf(facts.phone)
  return new PayloadCountry(locale.country, (payload) => complete(payload, facts, locale))
}

export interface LoginCount {
  wa: Pick<WASocket, 'ws'>
  creds: StoredCreds
  attempts: { count: number }
  save(): Promise<void>
  onFailure(error: unknown): void
}

/** Counts the logins accepted by the network, for the session and for this process (ZP WaAuthClient.ts). */
export function countLogins({ wa, creds, attempts, save, onFailure }: LoginCount): void {
  wa.ws.on('CB:success', () => {
    attempts.count += 1
    creds.logins = (creds.logins ?? 0) + 1
    save().catch(onFailure)
  })
}

function complete(payload: Payload, facts: ClientFacts, locale: Locale): Payload {
  const userAgent = {
    ...payload.userAgent,
    manufacturer: '',
    localeLanguageIso6391: locale.language,
    localeCountryIso31661Alpha2: locale.country,
  }
  const { devicePairingData } = payload
  if (devicePairingData) {
    const deviceProps = devicePropsOf(devicePairingData.deviceProps ?? new Uint8Array(), facts.os)
    return { ...payload, userAgent, devicePairingData: { ...devicePairingData, deviceProps } }
  }
  const { logins: lc, attempts: connectAttemptCount, isLidMigrated: lidDbMigrated } = facts
  return { ...payload, userAgent, lc, connectAttemptCount, lidDbMigrated }
}

function devicePropsOf(encoded: Uint8Array, name: string): Uint8Array {
  const props = proto.DeviceProps.decode(encoded)
  const { os, version = null } = systemOf(name)
  const historySyncConfig = { ...props.historySyncConfig, ...HISTORY }
  return proto.DeviceProps.encode({ ...props, os, version, historySyncConfig }).finish()
}
