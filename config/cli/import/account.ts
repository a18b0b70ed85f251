import type { ForeignCreds, ForeignDevice } from '../../../plugins/baileys/store/foreign-device.ts'
import { commandFailed } from '../../errors.ts'

/** JSON by type and id, as in Baileys' key store. */
export type Keys = Record<string, Record<string, string>>

/** A linked account of another gateway, in the form of Baileys 7. */
export interface ImportedAccount extends ForeignDevice {
  /** Name of the session that it becomes. */
  readonly name: string
  /** A new one is created when absent. */
  readonly token?: string | undefined
  readonly webhook: string
  /** The format that the webhook's receiver was written for; the gateway's own when absent. */
  readonly format?: string | undefined
  /** Events of that format that the receiver subscribed to; those that the format sends by default when absent. */
  readonly events?: readonly string[] | undefined
  /** Event classes; `['All']` for every one. */
  readonly subscribe: readonly string[]
  /** Descriptions of everything that is not imported. */
  readonly notes: readonly string[]
}

/** An account of a source. */
export interface Candidate {
  /** Name by which the operator knows it. */
  readonly label: string
  /** Rejects COMMAND_FAILED with the reason why it can't be imported. */
  read(): Promise<ImportedAccount>
}

export interface ImportSource {
  candidates(): Promise<readonly Candidate[]>
  close(): Promise<void>
}

/** Without these no link can be opened. */
const NEEDED = [
  'me',
  'account',
  'noiseKey',
  'signedIdentityKey',
  'signedPreKey',
  'registrationId',
  'advSecretKey',
] as const

/** Fields that some versions of Baileys lack. */
const DEFAULTS = {
  processedHistoryMessages: [],
  nextPreKeyId: 1,
  firstUnuploadedPreKeyId: 1,
  accountSettings: { unarchiveChats: false },
  registered: false,
}

/**
 * The credentials of a linked device, with fields that an earlier version of Baileys lacked.
 *
 * @param stored the parsed JSON.
 * @throws COMMAND_FAILED for a device that is not linked.
 */
export function linkedCreds(stored: unknown): ForeignCreds {
  const given = (typeof stored === 'object' && stored ? stored : {}) as Partial<ForeignCreds>
  const missing = NEEDED.filter((field) => given[field] === undefined || given[field] === null)
  const { me, pairingCode: _code, accountSyncCounter, ...rest } = given
  if (missing.length > 0 || !me?.id)
    throw commandFailed(`it is not linked: its credentials have no ${missing.join(', ') || 'me.id'}`)
  // With 0, Baileys would wait for the history that a new device receives.
  return { ...DEFAULTS, ...rest, me, accountSyncCounter: accountSyncCounter || 1 }
}

/** `5511…:3@s.whatsapp.net` → `5511…@s.whatsapp.net` */
export function bareJid(jid: string): string {
  return jid.replace(/:\d+@/, '@')
}
