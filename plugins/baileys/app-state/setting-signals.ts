import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { createSerialQueue } from 'wamux/plugin'
import {
  decodeSyncdMutations,
  downloadExternalPatch,
  extractSyncdPatches,
  newLTHashState,
  proto,
  toNumber,
} from '../baileys.ts'
import type { SettingSignal } from '../sdk.ts'
import { syncKeysOf } from './app-state.ts'

export interface WatchParts {
  wa: WASocket
  fetchOptions: RequestInit
  /** Whether received settings are earlier ones, not changes. */
  isOld(): boolean
  /** Called in order. */
  raise(signal: SettingSignal): void
  onUnreadable(error: unknown): void
}

/**
 * Reads settings from the replies that contain them, whether Baileys or the gateway sent the query. Baileys' own events
 * (chats.update, contacts.upsert …) lack the time, the range of messages, and the removal of contacts.
 */
export function watchSettings({ wa, fetchOptions, isOld, raise, onUnreadable }: WatchParts): {
  /** Resolves when the replies received so far are read. */
  read(): Promise<void>
} {
  const getKey = syncKeysOf(wa.authState.keys)
  const replies = createSerialQueue()

  async function read(reply: BinaryNode, old: boolean): Promise<void> {
    for (const [collection, answer] of Object.entries(await extractSyncdPatches(reply, fetchOptions))) {
      const { snapshot, patches } = answer
      const first = { collection, version: toNumber(snapshot?.version?.version), isOld: true }
      for (const record of snapshot?.records ?? []) await one(record, { ...first, operation: 'set' })
      for (const { version, mutations, externalMutations } of patches) {
        const more = externalMutations
          ? (await downloadExternalPatch(externalMutations, fetchOptions)).mutations
          : []
        for (const mutation of [...(mutations ?? []), ...more])
          await one(mutation, {
            collection,
            version: toNumber(version?.version),
            isOld: old,
            operation: mutation.operation === REMOVE ? 'remove' : 'set',
          })
      }
    }
  }

  async function one(
    mutation: proto.ISyncdMutation | proto.ISyncdRecord,
    about: Pick<SettingSignal, 'collection' | 'version' | 'isOld' | 'operation'>,
  ): Promise<void> {
    await decodeSyncdMutations(
      [mutation as proto.ISyncdMutation],
      newLTHashState(),
      getKey,
      ({ index, syncAction }) => raise({ ...about, index: index as string[], ...actionOf(syncAction.value) }),
      true,
    )
  }

  wa.ws.on('CB:iq,,sync', (reply: BinaryNode) => {
    const old = isOld()
    replies.run(() => read(reply, old)).catch(onUnreadable)
  })
  return { read: () => replies.run(async () => undefined) }
}

const { REMOVE } = proto.SyncdMutation.SyncdOperation

/** The value of a setting as plain values, and its time. */
export function actionOf(
  value: proto.ISyncActionValue | null | undefined,
): Pick<SettingSignal, 'action' | 'time'> {
  const plain = proto.SyncActionValue.toObject(proto.SyncActionValue.fromObject(value ?? {}), {
    longs: Number,
  })
  const { timestamp, ...action } = plain as { timestamp?: number } & SettingSignal['action']
  return { action, time: new Date(timestamp ?? Date.now()).toISOString() }
}
