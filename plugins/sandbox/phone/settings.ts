import { randomBytes } from 'node:crypto'
import type { GatewayServices, Log } from 'wamux/plugin'
import { bytes, child, children, el } from '../stanza.ts'
import type { Stanza, Uplink } from '../types.ts'

type Wire = GatewayServices['wire']
type State = ReturnType<Wire['newLTHashState']>
type Collection = Parameters<Wire['decodeSyncdPatch']>[1]

/** Settings that the account's devices share through encrypted patches: names, pins, labels, contacts. */
export interface Settings {
  /** What a companion needs to read and write them. */
  keyShare(): Record<string, unknown>
  /** Writes one setting, as the phone's user does. */
  write(
    collection: Collection,
    index: string[],
    action: Record<string, unknown>,
    version: number,
  ): Promise<void>
  /** Replays what others wrote to a collection. */
  pull(collection: string): Promise<void>
  /** Every setting by its index, as JSON. */
  view(): { Index: string[]; Action: Record<string, unknown> }[]
}

export function createSettings(wire: Wire, uplink: Uplink, log: Log): Settings {
  const keyId = randomBytes(6)
  const keyData = {
    keyData: randomBytes(32),
    fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0] },
    timestamp: Date.now(),
  }
  const states = new Map<string, State>()
  const actions = new Map<string, { Index: string[]; Action: Record<string, unknown> }>()
  const getKey = async (id: string) =>
    id === keyId.toString('base64') ? wire.proto.Message.AppStateSyncKeyData.fromObject(keyData) : undefined
  const stateOf = (name: string): State => states.get(name) ?? wire.newLTHashState()

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
    const next = await wire.decodeSyncdPatch(
      decoded,
      name,
      state,
      getKey,
      ({ index, syncAction }) => {
        actions.set(JSON.stringify(index), {
          Index: index as unknown as string[],
          Action: toJson(wire, syncAction),
        })
      },
      true,
    )
    states.set(name, { ...state, ...next, version: Number(decoded.version?.version ?? state.version + 1) })
  }

  const settings: Settings = {
    keyShare: () => ({ keys: [{ keyId: { keyId }, keyData }] }),
    async write(name, index, action, version) {
      // Another device may have written in between: catch up, then try on top of that.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const create = {
          type: name,
          index,
          syncAction: action,
          apiVersion: version,
          operation: wire.proto.SyncdMutation.SyncdOperation.SET,
        }
        const { patch, state } = await wire.encodeSyncdPatch(
          create,
          keyId.toString('base64'),
          stateOf(name),
          getKey,
        )
        if (await push(name, wire.proto.SyncdPatch.encode(patch).finish())) {
          states.set(name, state)
          actions.set(JSON.stringify(index), { Index: index, Action: action })
          return
        }
        await settings.pull(name)
      }
      throw new Error(`setting ${index[0]} could not be written`)
    },
    async pull(name) {
      const collection = el('collection', { name, version: stateOf(name).version, return_snapshot: 'false' })
      const reply = await uplink.query(
        el('iq', { xmlns: 'w:sync:app:state', type: 'set', to: 's.whatsapp.net' }, [
          el('sync', {}, [collection]),
        ]),
      )
      const patches = child(child(child(reply, 'sync'), 'collection'), 'patches')
      for (const patch of children(patches, 'patch')) {
        await replay(name as Collection, patch).catch((error: unknown) =>
          log.warn({ err: error, name }, 'patch not readable'),
        )
      }
    },
    view: () => [...actions.values()],
  }
  return settings
}

function toJson(wire: Wire, action: unknown): Record<string, unknown> {
  const { value } = action as { value?: object | null }
  return value ? wire.proto.SyncActionValue.fromObject(value).toJSON() : {}
}
