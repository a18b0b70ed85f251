import type { BinaryNode, LTHashState, WAPatchName, WASocket } from '@whiskeysockets/baileys'
import { createSerialQueue } from 'wamux/plugin'
import {
  decodeSyncdMutations,
  extractSyncdPatches,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  newLTHashState,
  proto,
  toNumber,
} from '../baileys.ts'
import type { SettingSignal } from '../sdk.ts'
import { refusedIn, syncKeysOf } from './app-state.ts'
import { textOf } from './setting-indexes.ts'
import { type CollectionReply, endOf, missingKeys, type ReplyEnd, withFiles } from './verification.ts'

export interface WatchParts {
  wa: WASocket
  fetchOptions: RequestInit
  /** Whether all received settings are earlier ones, not changes. */
  isOld(): boolean
  /** A collection as stored before the reply; undefined if it was never read. */
  known(name: WAPatchName): Promise<LTHashState | undefined>
  /** Called in order. */
  raise(signal: SettingSignal): void
  /** A reply without settings, of a collection that was never read. */
  onEmpty(name: WAPatchName): void
  /** A reply of which no setting was raised, for want of these keys. */
  onMissingKeys(name: WAPatchName, ids: readonly string[]): void
  /** Whether the gateway verifies what it receives, unlike Baileys. */
  isVerified(): boolean
  /** A reply that is not verified was read as far as it can be. */
  onRead(name: WAPatchName, end: ReplyEnd): void
  onUnreadable(error: unknown): void
  /** The settings of a collection, known by this version, that are not among those present. */
  missing(name: string, version: number, present: ReadonlySet<string>): Promise<string[][]>
}

type Known = ReadonlyMap<string, LTHashState | undefined>

/**
 * Reads settings from the replies that contain them, whether Baileys or the gateway sent the query. Baileys' own events
 * (chats.update, contacts.upsert …) lack the time, the range of messages, and the removal of contacts.
 */
export function watchSettings(parts: WatchParts): {
  /** Resolves when the replies received so far are read. */
  read(): Promise<void>
  /** The collection as last read is what the account's devices have written: what a snapshot lacks was removed. */
  verified(name: WAPatchName): Promise<void>
  /** Raises the removal of all settings known by this version that are not among those present. */
  only(name: WAPatchName, version: number, present: ReadonlySet<string>): Promise<void>
} {
  const { wa, fetchOptions, raise } = parts
  const getKey = syncKeysOf(wa.authState.keys)
  const replies = createSerialQueue()
  /** Snapshots that were read whole, and not verified yet: the indexes of their settings. */
  const snapshots = new Map<WAPatchName, { version: number; present: ReadonlySet<string> }>()

  async function read(
    reply: BinaryNode,
    { old, isVerified }: { old: boolean; isVerified: boolean },
    before: Promise<Known>,
  ): Promise<void> {
    const known = await before
    for (const [collection, extracted] of Object.entries(await extractSyncdPatches(reply, fetchOptions))) {
      const name = collection as WAPatchName
      const answer = await withFiles(extracted, fetchOptions)
      const end = endOf(answer)
      if (!end) {
        if (!known.get(name)) parts.onEmpty(name)
        continue
      }
      const missing = await missingKeys(answer, getKey)
      if (missing.length > 0) {
        parts.onMissingKeys(name, missing)
        continue
      }
      await readAnswer(name, answer, old, known.get(name))
      if (!isVerified) parts.onRead(name, end)
    }
  }

  async function readAnswer(
    collection: WAPatchName,
    { snapshot, patches }: CollectionReply,
    old: boolean,
    known: LTHashState | undefined,
  ): Promise<void> {
    const first = { collection, version: toNumber(snapshot?.version?.version), operation: 'set' as const }
    const present = new Set<string>()
    let isWhole = snapshot !== undefined
    for (const record of snapshot?.records ?? []) {
      const index = await one(record, { ...first, isOld: old || !known || isKnown(record, known) })
      if (index) present.add(index)
      else isWhole = false
    }
    if (isWhole) snapshots.set(collection, { version: first.version, present })
    for (const { version: written, mutations } of patches) {
      const version = toNumber(written?.version)
      const isOld = old || version <= (known?.version ?? 0)
      for (const mutation of mutations ?? [])
        await one(mutation, {
          collection,
          version,
          isOld,
          operation: mutation.operation === REMOVE ? 'remove' : 'set',
        })
    }
  }

  /** Raises a setting and returns its index; undefined if it can't be decrypted. */
  async function one(
    mutation: proto.ISyncdMutation | proto.ISyncdRecord,
    about: Pick<SettingSignal, 'collection' | 'version' | 'isOld' | 'operation'>,
  ): Promise<string | undefined> {
    let text: string | undefined
    await decodeSyncdMutations(
      [mutation as proto.ISyncdMutation],
      newLTHashState(),
      getKey,
      ({ index, syncAction }) => {
        text = textOf(index)
        raise({ ...about, index: index as string[], ...actionOf(syncAction.value) })
      },
      true,
    )
    return text
  }

  async function only(collection: WAPatchName, version: number, present: ReadonlySet<string>): Promise<void> {
    const about = { collection, version, isOld: parts.isOld(), operation: 'remove' as const }
    for (const index of await parts.missing(collection, version, present))
      raise({ ...about, index, ...actionOf(undefined) })
  }

  async function knownOf(reply: BinaryNode): Promise<Known> {
    const names = getBinaryNodeChildren(getBinaryNodeChild(reply, 'sync'), 'collection').map(
      ({ attrs }) => attrs['name'] as WAPatchName,
    )
    return new Map(await Promise.all(names.map(async (name) => [name, await parts.known(name)] as const)))
  }

  wa.ws.on('CB:iq,,sync', (reply: BinaryNode) => {
    if (refusedIn(reply)) return
    const about = { old: parts.isOld(), isVerified: parts.isVerified() }
    // Read at once: the sender of the query will store the new state.
    const before = knownOf(reply)
    before.catch(() => undefined)
    replies.run(() => read(reply, about, before)).catch(parts.onUnreadable)
  })
  return {
    read: () => replies.run(async () => undefined),
    verified: (name) =>
      replies.run(async () => {
        const { version, present } = snapshots.get(name) ?? {}
        snapshots.delete(name)
        if (version && present) await only(name, version, present)
      }),
    only,
  }
}

const { REMOVE } = proto.SyncdMutation.SyncdOperation
const MAC_BYTES = 32

/** Whether a record of a snapshot is the one that was read before. */
function isKnown({ index, value }: proto.ISyncdRecord, { indexValueMap }: LTHashState): boolean {
  const mac = Buffer.from(value?.blob ?? []).subarray(-MAC_BYTES)
  return hasValue({ indexValueMap }, Buffer.from(index?.blob ?? []).toString('base64'), mac)
}

/** Whether a collection's state has this value of a setting; both are named by their MACs. */
export function hasValue(
  { indexValueMap }: Pick<LTHashState, 'indexValueMap'>,
  index: string,
  mac: Uint8Array,
): boolean {
  const known = indexValueMap[index]?.valueMac
  return known !== undefined && Buffer.from(known).equals(mac)
}

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
