import { createHmac, randomBytes } from 'node:crypto'
import { createSerialQueue, type GatewayServices, reasonOf } from 'wamux/plugin'
import type { Slot } from '../../snapshots.ts'
import { bytes, child, children, el } from '../../stanza.ts'
import type { Stanza, Uplink } from '../../types.ts'

type Wire = GatewayServices['wire']
type State = ReturnType<Wire['newLTHashState']>
type Collection = Parameters<Wire['decodeSyncdPatch']>[1]

/** App state of the account (names, pins, labels, contacts), synced through encrypted patches. */
export interface Settings {
  /** The app-state key, in the form shared with companions. */
  keyShare(): Record<string, unknown>
  /** Writes one setting; removes it if there is no action. */
  write(change: Change): Promise<void>
  /** Applies the patches of other devices to a collection. */
  pull(collection: string): Promise<void>
  /** Every setting by its index, as JSON. */
  view(): Setting[]
  /** Patches that failed verification. A real phone would unlink the device that wrote them. */
  readonly invalidPatches: readonly string[]
}

export interface Change {
  collection: Collection
  index: string[]
  action?: Record<string, unknown>
  version: number
}

interface Setting {
  Index: string[]
  Action: Record<string, unknown>
}

export function createSettings(wire: Wire, uplink: Uplink, slot: Slot): Settings {
  const { keyId, keyData, states, actions, invalidPatches } = slot('settings', () => ({
    keyId: randomBytes(6),
    keyData: {
      keyData: randomBytes(32),
      fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0] },
      timestamp: Date.now(),
    },
    states: new Map<string, State>(),
    actions: new Map<string, Setting>(),
    invalidPatches: [] as string[],
  }))
  const { SET, REMOVE } = wire.proto.SyncdMutation.SyncdOperation
  const getKey = async (id: string) =>
    id === keyId.toString('base64') ? wire.proto.Message.AppStateSyncKeyData.fromObject(keyData) : undefined
  const stateOf = (name: string): State => states.get(name) ?? wire.newLTHashState()

  /** Each patch builds on its predecessor, so they are processed one by one. */
  const queue = createSerialQueue()

  async function push(name: Collection, patch: Uint8Array): Promise<boolean> {
    const { version } = stateOf(name)
    const collection = el('collection', { name, version, return_snapshot: 'false' }, [
      el('patch', {}, Buffer.from(patch)),
    ])
    const reply = await uplink.query(
      el('iq', { xmlns: 'w:sync:app:state', type: 'set', to: 's.whatsapp.net' }, [
        el('sync', {}, [collection]),
      ]),
    )
    return child(child(reply, 'sync'), 'collection')?.attrs['type'] !== 'error'
  }

  async function replay(name: Collection, patch: Stanza): Promise<void> {
    const decoded = wire.proto.SyncdPatch.decode(bytes(patch))
    const state = stateOf(name)
    const version = Number(decoded.version?.version ?? state.version + 1)
    const { mutations } = decoded
    const read: Setting[] = []
    const next = await wire.decodeSyncdPatch(
      decoded,
      name,
      state,
      getKey,
      ({ index, syncAction }) => read.push({ Index: index as string[], Action: toJson(wire, syncAction) }),
      true,
    )
    // The decoder skips mutations that fail verification.
    if (read.length < mutations.length) throw new Error('a mutation could not be verified')
    for (const [place, setting] of read.entries())
      applySetting(setting, mutations[place]?.operation === REMOVE)
    states.set(name, { ...state, ...next, version })
    if (!snapshotMac(next.hash, version, name).equals(decoded.snapshotMac ?? new Uint8Array()))
      throw new Error('the LTHash does not match')
  }

  function applySetting(setting: Setting, isRemoved: boolean): void {
    if (isRemoved) actions.delete(JSON.stringify(setting.Index))
    else actions.set(JSON.stringify(setting.Index), setting)
  }

  /** The MAC over a collection's LTHash, which reveals a wrong hash. */
  function snapshotMac(hash: Uint8Array, version: number, name: string): Buffer {
    const keys = Buffer.from(wire.hkdf(keyData.keyData, 160, { info: 'WhatsApp Mutation Keys' }))
    const number = Buffer.alloc(8)
    number.writeUInt32BE(version, 4)
    return createHmac('sha256', keys.subarray(96, 128)).update(hash).update(number).update(name).digest()
  }

  async function encode({ collection, index, action, version }: Change) {
    const operation = action ? SET : REMOVE
    const create = {
      type: collection,
      index,
      syncAction: { timestamp: Date.now(), ...action },
      apiVersion: version,
      operation,
    }
    const encoded = await wire.encodeSyncdPatch(create, keyId.toString('base64'), stateOf(collection), getKey)
    const removed = encoded.patch.mutations?.[0]?.record?.index?.blob
    // The encoder keeps removed values in its index map and would subtract them again.
    if (!action && removed) delete encoded.state.indexValueMap[Buffer.from(removed).toString('base64')]
    return encoded
  }

  async function write(change: Change): Promise<void> {
    const { collection, index, action } = change
    // On a conflict with another device: pull its patches, then retry on top of them.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { patch, state } = await encode(change)
      if (await push(collection, wire.proto.SyncdPatch.encode(patch).finish())) {
        states.set(collection, state)
        const value = action ? wire.proto.SyncActionValue.fromObject(action) : undefined
        applySetting({ Index: index, Action: toJson(wire, { value }) }, !action)
        return
      }
      await pull(collection)
    }
    throw new Error(`setting ${index[0]} could not be written`)
  }

  async function pull(name: Collection): Promise<void> {
    const collection = el('collection', { name, version: stateOf(name).version, return_snapshot: 'false' })
    const reply = await uplink.query(
      el('iq', { xmlns: 'w:sync:app:state', type: 'set', to: 's.whatsapp.net' }, [
        el('sync', {}, [collection]),
      ]),
    )
    const patches = child(child(child(reply, 'sync'), 'collection'), 'patches')
    for (const patch of children(patches, 'patch')) {
      await replay(name, patch).catch((error: unknown) =>
        invalidPatches.push(`${name} after v${stateOf(name).version}: ${reasonOf(error)}`),
      )
    }
  }

  return {
    invalidPatches: invalidPatches,
    keyShare: () => ({ keys: [{ keyId: { keyId }, keyData }] }),
    write: (change) => queue.run(() => write(change)),
    pull: (name) => queue.run(() => pull(name as Collection)),
    view: () => [...actions.values()],
  }
}

function toJson(wire: Wire, action: unknown): Record<string, unknown> {
  const { value } = action as { value?: object | null }
  return value ? wire.proto.SyncActionValue.fromObject(value).toJSON() : {}
}
