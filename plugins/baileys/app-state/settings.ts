import type { ChatModification, WAPatchName, WASocket } from '@whiskeysockets/baileys'
import type { Events, Log } from 'wamux/plugin'
import { ALL_WA_PATCH_NAMES } from '../baileys.ts'
import type { WithSaltAction } from '../patches/nct-salt.ts'
import { queryOf } from '../protocol/query.ts'
import type { SettingSignal } from '../sdk.ts'
import { createAppState } from './app-state.ts'
import { modifyOf } from './modify.ts'
import { actionOf, watchSettings } from './setting-signals.ts'

export interface SettingsParts {
  wa: WASocket
  session: string
  events: Pick<Events, 'raise'>
  fetchOptions: RequestInit
  log: Log
  /** The salt of tokens for first contacts was set or removed. This setting is hidden from everyone else. */
  onSalt(salt: Uint8Array | undefined): Promise<void>
  /** A signal could not be stored. */
  onFailure(error: unknown): void
}

/** The settings shared by the account's devices: changes them, rereads them, raises signals for changes. */
export interface Settings {
  modify(change: ChatModification, jid: string): Promise<void>
  /** Rereads all collections from the start. */
  refetch(): Promise<{ name: string; version: number }[]>
  /** Updates one collection, or rereads it from the start; resolves when its signals have been raised or passed on. */
  pull(name: WAPatchName, fromStart: boolean): Promise<void>
}

export function createSettings({
  wa,
  session,
  events,
  fetchOptions,
  log,
  onSalt,
  onFailure,
}: SettingsParts): Settings {
  const { creds } = wa.authState
  const query = queryOf(wa)
  const appState = createAppState({ wa, query, fetchOptions })
  const watched = watchSettings({
    wa,
    fetchOptions,
    // Until a new link has read everything once, it receives earlier settings, not changes.
    isOld: () => appState.isRewinding || !creds.accountSyncCounter,
    raise(signal) {
      const told = isSalt(signal) ? onSalt(saltIn(signal)) : events.raise(session, 'setting', signal)
      told.catch(onFailure)
    },
    // The key has not been received yet; Baileys repeats the query once it has.
    onUnreadable: (error) => log.debug({ err: error }, "settings can't be decrypted yet"),
  })
  return {
    modify: modifyOf({
      wa,
      appState,
      query,
      async onChanged({ type, index, operation, syncAction }, version) {
        await events.raise(session, 'setting', {
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
  }
}

const isSalt = ({ index }: SettingSignal): boolean => index[0] === 'nct_salt_sync'

function saltIn({ operation, action }: SettingSignal): Uint8Array | undefined {
  const { nctSaltSyncAction } = action as WithSaltAction
  return operation === 'set' ? (nctSaltSyncAction?.salt ?? undefined) : undefined
}
