import { createSerialQueue, type GatewayServices, reasonOf } from 'wamux/plugin'
import { bytes, child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Proto } from '../messages/compose.ts'
import type { OwnDevice } from './own-device.ts'
import { createSettingsKeys, newSettingsKey } from './settings-keys.ts'
import { createSettingsRecords } from './settings-recovery.ts'

type Wire = GatewayServices['wire']
type State = ReturnType<Wire['newLTHashState']>
type SyncActionData = Parameters<Wire['proto']['SyncActionData']['encode']>[0]
type SyncdRecord = Parameters<Wire['proto']['SyncdMutation']['encode']>[0]['record']
type Collection = Parameters<Wire['decodeSyncdPatch']>[1]

/** App state of the account (names, pins, labels, contacts), synced through encrypted patches. */
export interface PhoneSettings {
  /** The app-state keys, or those of these ids, in the form shared with companions. */
  keyShare(ids?: readonly Uint8Array[]): Record<string, unknown>
  /** Makes a new app-state key, with which settings are written from then on. */
  renewKey(): void
  /** Answers a companion's request for keys, or for a collection that it can't read; undefined for other messages. */
  answer(request: Proto, stanzaId: string): Record<string, unknown> | undefined
  /** Writes one setting; removes it if there is no action. */
  write(change: SettingChange): Promise<void>
  /** Applies the patches of other devices to a collection. */
  pull(collection: string): Promise<void>
  /** Every setting by its index, as JSON. */
  view(): Setting[]
  /** Requests of companions: `key` and the id in base64, or `collection` and its name. */
  readonly requests: readonly string[]
  /** Patches that failed verification. A real phone would unlink the device that wrote them. */
  readonly invalidPatches: readonly string[]
}

export interface SettingChange {
  collection: Collection
  index: string[]
  action?: Record<string, unknown>
  version: number
}

interface Setting {
  Index: string[]
  Action: Record<string, unknown>
}

interface Read {
  index: string[]
  syncAction: SyncActionData
}

export function createSettings({ wire, uplink, slot }: OwnDevice): PhoneSettings {
  const own = slot('settings', () => ({
    ...newSettingsKey(),
    states: new Map<string, State>(),
    actions: new Map<string, Setting>(),
    invalidPatches: [] as string[],
  }))
  const { states, actions, invalidPatches } = own
  const { SET, REMOVE } = wire.proto.SyncdMutation.SyncdOperation
  const keys = createSettingsKeys(wire, own, slot)
  const records = createSettingsRecords(wire, slot)
  const stateOf = (name: string): State => states.get(name) ?? wire.newLTHashState()

  const requests: string[] = []

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
    const read: Read[] = []
    const next = await wire.decodeSyncdPatch(
      decoded,
      name,
      state,
      keys.get,
      ({ index, syncAction }) => read.push({ index: index as string[], syncAction }),
      true,
    )
    // The decoder skips mutations that fail verification.
    if (read.length < mutations.length) throw new Error('a mutation could not be verified')
    for (const { index } of read)
      if (index[0] === 'star' && name !== 'regular_high') throw new Error(`a star in ${name}`)
    for (const [place, one] of read.entries()) {
      const { index, syncAction } = one
      const { operation, record } = mutations[place] ?? {}
      const setting = { Index: index, Action: toJson(wire, syncAction) }
      if (isShown(one)) applySetting(setting, operation === REMOVE)
      else invalidPatches.push(`${index.join(' ')} is not shown`)
      keep(name, index, operation === REMOVE ? undefined : record, syncAction)
    }
    states.set(name, { ...state, ...next, version })
    const mac = keys.snapshotMac(decoded.keyId?.id ?? new Uint8Array(), next.hash, version, name)
    if (!mac.equals(decoded.snapshotMac ?? new Uint8Array())) throw new Error('the LTHash does not match')
  }

  /** Keeps what a companion that can't read the setting would need. */
  function keep(
    name: Collection,
    index: readonly string[],
    record: SyncdRecord,
    action: SyncActionData,
  ): void {
    const { SyncActionData: Data } = wire.proto
    const kept = record
      ? {
          data: Data.encode(Data.fromObject(action)).finish(),
          keyId: record.keyId?.id ?? new Uint8Array(),
          mac: Buffer.from(record.value?.blob ?? []).subarray(-32),
        }
      : undefined
    records.keep(name, JSON.stringify(index), kept)
  }

  function applySetting(setting: Setting, isRemoved: boolean): void {
    if (isRemoved) actions.delete(JSON.stringify(setting.Index))
    else actions.set(JSON.stringify(setting.Index), setting)
  }

  async function encode({ collection, index, action, version }: SettingChange) {
    const operation = action ? SET : REMOVE
    const create = {
      type: collection,
      index,
      syncAction: { timestamp: Date.now(), ...action },
      apiVersion: version,
      operation,
    }
    const encoded = await wire.encodeSyncdPatch(create, keys.active, stateOf(collection), keys.get)
    const removed = encoded.patch.mutations?.[0]?.record?.index?.blob
    // The encoder keeps removed values in its index map and would subtract them again.
    if (!action && removed) delete encoded.state.indexValueMap[Buffer.from(removed).toString('base64')]
    return { ...encoded, syncAction: create.syncAction }
  }

  async function write(change: SettingChange): Promise<void> {
    const { collection, index, action } = change
    // On a conflict with another device: pull its patches, then retry on top of them.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { patch, state, syncAction } = await encode(change)
      if (await push(collection, wire.proto.SyncdPatch.encode(patch).finish())) {
        states.set(collection, state)
        const value = action ? wire.proto.SyncActionValue.fromObject(action) : undefined
        applySetting({ Index: index, Action: toJson(wire, { value }) }, !action)
        const record = action ? patch.mutations?.[0]?.record : undefined
        const data = {
          index: Buffer.from(JSON.stringify(index)),
          value: syncAction,
          padding: Buffer.alloc(0),
        }
        keep(collection, index, record, { ...data, version: change.version })
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
    keyShare: keys.share,
    renewKey: keys.renew,
    requests,
    answer(request, stanzaId) {
      const { appStateSyncKeyRequest, peerDataOperationRequestMessage } = request.protocolMessage ?? {}
      const { collectionName } = peerDataOperationRequestMessage?.syncdCollectionFatalRecoveryRequest ?? {}
      if (collectionName) {
        requests.push(`collection ${collectionName}`)
        // WhatsApp Web never asks for it; whether a phone would answer is not known [?].
        if (collectionName === 'critical_block') return undefined
        return records.answer(collectionName, stanzaId, stateOf(collectionName))
      }
      if (!appStateSyncKeyRequest) return undefined
      const ids = (appStateSyncKeyRequest.keyIds ?? []).flatMap(({ keyId }) => keyId ?? [])
      requests.push(...ids.map((id) => `key ${Buffer.from(id).toString('base64')}`))
      const type = wire.proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE
      const appStateSyncKeyShare = keys.share(ids)
      return { protocolMessage: { type, appStateSyncKeyShare } }
    },
    write: (change) => queue.run(() => write(change)),
    pull: (name) => queue.run(() => pull(name as Collection)),
    view: () => [...actions.values()],
  }
}

/** Apps pass over a quick reply without shortcut or text (whatsapp-rust features/quick_replies.rs). */
function isShown({ syncAction }: Read): boolean {
  const reply = syncAction.value?.quickReplyAction
  return !reply || reply.deleted === true || Boolean(reply.shortcut && reply.message)
}

function toJson(wire: Wire, action: unknown): Record<string, unknown> {
  const { value } = action as { value?: object | null }
  return value ? wire.proto.SyncActionValue.fromObject(value).toJSON() : {}
}
