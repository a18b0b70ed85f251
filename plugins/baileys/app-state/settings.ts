import type { ChatModification, WASocket } from '@whiskeysockets/baileys'
import type { Events, Log } from 'wamux/plugin'
import { ALL_WA_PATCH_NAMES } from '../baileys.ts'
import { queryOf } from '../protocol/query.ts'
import { createAppState } from './app-state.ts'
import { modifyOf } from './modify.ts'
import { actionOf, watchSettings } from './setting-signals.ts'

export interface SettingsParts {
  wa: WASocket
  session: string
  events: Pick<Events, 'raise'>
  fetchOptions: RequestInit
  log: Log
  /** A signal could not be stored. */
  onFailure(error: unknown): void
}

/** The settings that the account's devices share: changes them, reads them again, raises signals for changes. */
export interface Settings {
  modify(change: ChatModification, jid: string): Promise<void>
  /** Reads all collections from their start. */
  refetch(): Promise<{ name: string; version: number }[]>
}

export function createSettings({
  wa,
  session,
  events,
  fetchOptions,
  log,
  onFailure,
}: SettingsParts): Settings {
  const { creds } = wa.authState
  const query = queryOf(wa)
  const appState = createAppState({ wa, query, fetchOptions })
  watchSettings({
    wa,
    fetchOptions,
    // Until a new link has read everything once, it receives earlier settings, not changes.
    isOld: () => appState.isRewinding || !creds.accountSyncCounter,
    raise: (signal) => void events.raise(session, 'setting', signal).catch(onFailure),
    // The key has not been received yet; Baileys queries again once it has.
    onUnreadable: (error) => log.debug({ err: error }, 'settings can not be decrypted yet'),
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
  }
}
