import { createHmac, randomBytes } from 'node:crypto'
import { type GatewayServices, reasonOf } from 'wamux/plugin'
import { bytes, child, children, el } from '../stanza.ts'
import type { Stanza, Uplink } from '../types.ts'

type Wire = GatewayServices['wire']
type State = ReturnType<Wire['newLTHashState']>
type Collection = Parameters<Wire['decodeSyncdPatch']>[1]

/** Settings that the account's devices share through encrypted patches: names, pins, labels, contacts. */
export interface Settings {
  /** What a companion needs to read and write them. */
  keyShare(): Record<string, unknown>
  /** Writes one setting, as the phone's user does; removes it when there is no action. */
  write(change: Change): Promise<void>
  /** Replays what others wrote to a collection. */
  pull(collection: string): Promise<void>
  /** Every setting by its index, as JSON. */
  view(): Setting[]
  /** Patches that this phone could not verify: a real one would unlink who wrote them. */
  readonly faults: readonly string[]
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

export function createSettings(wire: Wire, uplink: Uplink): Settings {
  const keyId = randomBytes(6)
  const keyData = {
    keyData: randomBytes(32),
    fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0] },
    timestamp: Date.now(),
  }
  const states = new Map<string, State>()
  const actions = new Map<string, Setting>()
  const faults: string[] = []
  const { SET, REMOVE } = wire.proto.SyncdMutation.SyncdOperation
  const getKey = async (id: string) =>
    id === keyId.toString('base64') ? wire.proto.Message.AppStateSyncKeyData.fromObject(keyData) : undefined
  const stateOf = (name: string): State => states.get(name) ?? wire.newLTHashState()

  /** A patch is counted on top of the one before it, so never two at once. */
  let work: Promise<unknown> = Promise.resolve()
  const inOrder = (task: () => Promise<void>): Promise<void> => {
    const done = work.then(task)
    work = done.catch(() => undefined)
    return done
  }

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
    // A mutation that can't be verified is passed over in silence.
    if (read.length < mutations.length) throw new Error('a mutation could not be verified')
    for (const [place, setting] of read.entries()) apply(setting, mutations[place]?.operation === REMOVE)
    states.set(name, { ...state, ...next, version })
    if (!snapshotMac(next.hash, version, name).equals(decoded.snapshotMac ?? new Uint8Array()))
      throw new Error('its LTHash does not match')
  }

  function apply(setting: Setting, isRemoved: boolean): void {
    if (isRemoved) actions.delete(JSON.stringify(setting.Index))
    else actions.set(JSON.stringify(setting.Index), setting)
  }

  /** Over the sum of all settings of a collection: one who miscounts gives another. */
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
    // The encoder leaves what it removed in the index, and would subtract it again.
    if (!action && removed) delete encoded.state.indexValueMap[Buffer.from(removed).toString('base64')]
    return encoded
  }

  async function write(change: Change): Promise<void> {
    const { collection, index, action } = change
    // Another device may have written in between: catch up, then try on top of that.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { patch, state } = await encode(change)
      if (await push(collection, wire.proto.SyncdPatch.encode(patch).finish())) {
        states.set(collection, state)
        const value = action ? wire.proto.SyncActionValue.fromObject(action) : undefined
        apply({ Index: index, Action: toJson(wire, { value }) }, !action)
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
        faults.push(`${name} after v${stateOf(name).version}: ${reasonOf(error)}`),
      )
    }
  }

  return {
    faults,
    keyShare: () => ({ keys: [{ keyId: { keyId }, keyData }] }),
    write: (change) => inOrder(() => write(change)),
    pull: (name) => inOrder(() => pull(name as Collection)),
    view: () => [...actions.values()],
  }
}

function toJson(wire: Wire, action: unknown): Record<string, unknown> {
  const { value } = action as { value?: object | null }
  return value ? wire.proto.SyncActionValue.fromObject(value).toJSON() : {}
}
