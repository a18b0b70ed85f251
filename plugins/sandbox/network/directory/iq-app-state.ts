import { bytes, child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { QueryHandler } from '../iq/query.ts'
import type { NetworkState } from '../state.ts'
import type { Device } from './accounts.ts'
import { snapshotOf, spoilt } from './settings-snapshot.ts'

/**
 * App state, the settings shared by an account's devices. The server stores encrypted patches in order, refuses a patch that is
 * not based on the newest version (409), and notifies the other devices. Who asks for it gets a snapshot in place of the patches. It can't read them, so labels in `regular`, which
 * personal accounts have as lists of chats, are accepted from all accounts.
 */
export const appState: QueryHandler = (state, device, iq) => {
  const collections = children(child(iq, 'sync'), 'collection')
  return [
    el(
      'sync',
      {},
      collections.map((collection) => sync(state, device, collection)),
    ),
  ]
}

function sync(state: NetworkState, device: Device, collection: Stanza): Stanza {
  const { name = '', version = '0' } = collection.attrs
  const { collections } = device.account
  const patches = collections.get(name) ?? []
  collections.set(name, patches)
  const base = Number(version)
  const pushed = child(collection, 'patch')
  const refused =
    state.faults.settingsRefusal(device) ?? (pushed && base !== patches.length ? '409' : undefined)
  if (refused) {
    const error = el('error', { code: refused, text: TEXTS[refused] ?? 'refused' })
    return el('collection', { name, version: patches.length, type: 'error' }, [error])
  }
  if (pushed) {
    patches.push(withVersion(state, bytes(pushed), patches.length + 1))
    for (const other of device.account.devices.values()) {
      if (other !== device)
        state.delivery.notify(other, 'server_sync', [el('collection', { name, version: patches.length })])
    }
    return el('collection', { name, version: patches.length })
  }
  return el('collection', { name, version: patches.length }, read(state, device, collection, patches))
}

function read(state: NetworkState, device: Device, { attrs }: Stanza, patches: readonly Buffer[]): Stanza[] {
  const wantsSnapshot = attrs['return_snapshot'] === 'true' && patches.length > 0
  const missing = wantsSnapshot ? [] : patches.slice(Number(attrs['version'] ?? 0))
  if (!wantsSnapshot && missing.length === 0) return []
  const isSpoilt = state.faults.spoilsSettings(device, attrs['name'] ?? '')
  if (wantsSnapshot) return [el('snapshot', {}, snapshotOf(state, patches, isSpoilt))]
  const last = missing.length - 1
  const sent = missing.map((patch, at) =>
    el('patch', {}, isSpoilt && at === last ? spoilt(state, patch) : patch),
  )
  return [el('patches', {}, sent)]
}

const TEXTS: Readonly<Record<string, string>> = { 403: 'forbidden', 409: 'conflict' }

/** Adds the version, which clients omit on upload and need on replay. */
function withVersion(state: NetworkState, patch: Buffer, version: number): Buffer {
  const { SyncdPatch } = state.wire.proto
  const decoded = SyncdPatch.decode(patch)
  decoded.version = { version }
  return Buffer.from(SyncdPatch.encode(decoded).finish())
}
