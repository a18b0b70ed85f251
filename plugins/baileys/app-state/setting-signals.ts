import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { Dispatcher } from 'undici'
import {
  decodeSyncdMutations,
  downloadExternalPatch,
  extractSyncdPatches,
  newLTHashState,
  proto,
  toNumber,
} from '../baileys.ts'
import type { SettingSignal } from '../sdk.ts'

export interface WatchParts {
  wa: WASocket
  dispatcher: Dispatcher | undefined
  /** Whether what comes in now was there before. */
  isOld(): boolean
  /** Keeps the order of the calls. */
  raise(signal: SettingSignal): void
  onUnreadable(error: unknown): void
}

/**
 * Reads settings off the answers that bring them, whoever asked. Baileys' own events of them (chats.update,
 * contacts.upsert …) don't tell when it was set, by which range of messages, nor that a contact was removed.
 */
export function watchSettings({ wa, dispatcher, isOld, raise, onUnreadable }: WatchParts): void {
  const { keys } = wa.authState
  const options = (dispatcher ? { dispatcher } : undefined) as never
  const getKey = async (id: string) => (await keys.get('app-state-sync-key', [id]))[id]
  let tail: Promise<unknown> = Promise.resolve()

  async function read(reply: BinaryNode, old: boolean): Promise<void> {
    for (const [collection, answer] of Object.entries(await extractSyncdPatches(reply, options))) {
      const { snapshot, patches } = answer
      const first = { collection, version: toNumber(snapshot?.version?.version), isOld: true }
      for (const record of snapshot?.records ?? []) await one(record, { ...first, operation: 'set' })
      for (const { version, mutations, externalMutations } of patches) {
        const more = externalMutations
          ? (await downloadExternalPatch(externalMutations, options)).mutations
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
    tail = tail.then(() => read(reply, old)).catch(onUnreadable)
  })
}

const { REMOVE } = proto.SyncdMutation.SyncdOperation

/** The value of a setting in plain values, and when it was made. */
export function actionOf(
  value: proto.ISyncActionValue | null | undefined,
): Pick<SettingSignal, 'action' | 'time'> {
  const plain = proto.SyncActionValue.toObject(proto.SyncActionValue.fromObject(value ?? {}), {
    longs: Number,
  })
  const { timestamp, ...action } = plain as { timestamp?: number } & SettingSignal['action']
  return { action, time: new Date(timestamp ?? Date.now()).toISOString() }
}
