import type { WAPatchName, WASocket } from '@whiskeysockets/baileys'
import type { Events, Log } from 'wamux/plugin'
import { ALL_WA_PATCH_NAMES, toNumber } from '../baileys.ts'
import type { WithSaltAction } from '../patches/nct-salt.ts'
import type { StoredCreds } from '../protocol/credentials.ts'
import { queryOf } from '../protocol/query.ts'
import type { Change, SettingSignal } from '../sdk.ts'
import type { AbProp } from './ab-props.ts'
import { createAppState, syncKeysOf } from './app-state.ts'
import { modifyOf } from './modify.ts'
import { createPhoneRequests, type PhoneRequestParts } from './phone-requests.ts'
import type { RecoveryAnswer } from './recovered.ts'
import { createRecovery } from './recovery.ts'
import type { SettingIndexes } from './setting-indexes.ts'
import { actionOf, watchSettings } from './setting-signals.ts'

export interface SettingsParts {
  wa: WASocket
  session: string
  events: Pick<Events, 'raise'>
  indexes: SettingIndexes
  abProp: AbProp
  fetchOptions: RequestInit
  log: Log
  /** The salt of tokens for first contacts was set or removed. This setting is hidden from everyone else. */
  onSalt(salt: Uint8Array | undefined): Promise<void>
  sendToPhone: PhoneRequestParts['sendToPhone']
  /** Resolves when the credentials are committed. */
  save(): Promise<void>
  /** A signal could not be stored. */
  onFailure(error: unknown): void
}

/** The settings shared by the account's devices: changes them, rereads them, raises signals for changes. */
export interface AccountSettings {
  modify(change: Change, jid: string): Promise<void>
  /** Rereads all collections from the start. */
  refetch(): Promise<{ name: string; version: number }[]>
  /** Updates one collection, or rereads it from the start; resolves when its signals have been raised or passed on. */
  pull(name: WAPatchName, fromStart: boolean): Promise<void>
  /** The phone has shared keys; resolves when the credentials name the newest one, and have to be saved. */
  keysShared(): Promise<void>
  /** Reads collections again that an earlier link could not read. */
  resume(): void
  /** The phone has answered a request for a collection; resolves when its settings are stored and raised. */
  restored(answer: RecoveryAnswer): Promise<void>
}

export function createSettings(parts: SettingsParts): AccountSettings {
  const { wa, session, events, indexes, abProp, fetchOptions, log, onSalt, sendToPhone, save } = parts
  const { onFailure } = parts
  const { keys } = wa.authState
  const creds: StoredCreds = wa.authState.creds
  const getKey = syncKeysOf(keys)
  const query = queryOf(wa)
  const background = (work: Promise<unknown>): void => void work.catch(onFailure)
  let raised: Promise<unknown> = Promise.resolve()
  function raise(signal: SettingSignal): Promise<unknown> {
    const one = isSalt(signal)
      ? onSalt(saltIn(signal)).then(() => indexes.save(signal))
      : events.raise(session, 'setting', signal, [indexes.note(signal)])
    raised = Promise.allSettled([raised, one]).then(() => undefined)
    return one
  }
  const requests = createPhoneRequests({ wa, sendToPhone, creds, save, warn: (...line) => log.warn(...line) })
  const appState = createAppState({
    wa,
    query,
    fetchOptions,
    isWrong: requests.isWrong,
    async onReadable(name) {
      await requests.settled(name)
      background(watched.verified(name))
    },
    onUnreadable: (error) => background(recovery.unreadable(error)),
  })
  const recovery = createRecovery({
    appState,
    requests,
    getKey,
    log,
    raise,
    abProp,
    onIntact: (name) => watched.verified(name),
    only: (...present) => watched.only(...present),
  })
  const watched = watchSettings({
    wa,
    fetchOptions,
    // Until a new link has read everything once, it receives earlier settings, not changes.
    isOld: () => !creds.accountSyncCounter,
    known: appState.known,
    isVerified: () => appState.isOwnTurn,
    raise: (signal) => background(raise(signal)),
    onEmpty: (name) => background(appState.noteEmpty(name)),
    onMissingKeys: (name, ids) => background(recovery.missingKeys(name, ids)),
    onRead: (name, end) => background(recovery.read(name, end)),
    onUnreadable: (error) => log.debug({ err: error }, "settings can't be read"),
    async missing(...present) {
      await raised
      return indexes.missing(...present)
    },
  })
  let activeKey = creds.myAppStateKeyId

  /** Baileys writes with the last key that it got; the phone shares older ones when asked for them. */
  async function keepNewestKey(): Promise<void> {
    const shared = creds.myAppStateKeyId
    const [before, now] = await Promise.all([activeKey, shared].map((id) => (id ? getKey(id) : undefined)))
    if (activeKey && toNumber(before?.timestamp) > toNumber(now?.timestamp)) creds.myAppStateKeyId = activeKey
    activeKey = creds.myAppStateKeyId
  }

  return {
    modify: modifyOf({
      wa,
      appState,
      query,
      async onChanged({ type, index, operation, syncAction }, version) {
        await raise({
          collection: type,
          version,
          index,
          operation: operation === 0 ? 'set' : 'remove',
          isOld: false,
          ...actionOf(syncAction),
        })
      },
    }),
    refetch: () =>
      appState.inTurn(async ({ pull }) => {
        const read = []
        for (const name of ALL_WA_PATCH_NAMES) read.push({ name, version: (await pull(name, true)).version })
        return read
      }),
    async pull(name, fromStart) {
      await appState.inTurn(({ pull }) => pull(name, fromStart))
      await watched.read()
    },
    async keysShared() {
      await keepNewestKey()
      background(recovery.resume())
    },
    resume: () => background(recovery.resume()),
    restored: recovery.answered,
  }
}

const isSalt = ({ index }: SettingSignal): boolean => index[0] === 'nct_salt_sync'

function saltIn({ operation, action }: SettingSignal): Uint8Array | undefined {
  const { nctSaltSyncAction } = action as WithSaltAction
  return operation === 'set' ? (nctSaltSyncAction?.salt ?? undefined) : undefined
}
