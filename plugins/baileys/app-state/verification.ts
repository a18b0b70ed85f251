import { createHmac } from 'node:crypto'
import type { ChatMutation, LTHashState, WAPatchName } from '@whiskeysockets/baileys'
import { reasonOf } from 'wamux/plugin'
import {
  decodeSyncdMutations,
  downloadExternalPatch,
  type extractSyncdPatches,
  hkdf,
  isMissingKeyError,
  newLTHashState,
  type proto,
  toNumber,
} from '../baileys.ts'

/** Finds the keys with which settings are encrypted. */
export type FindKey = (id: string) => Promise<proto.Message.IAppStateSyncKeyData | undefined>

type Extracted = Awaited<ReturnType<typeof extractSyncdPatches>>[WAPatchName]

/** What the network has sent of one collection, with the mutations of patches that it stores as files. */
export interface CollectionReply {
  readonly snapshot?: proto.ISyncdSnapshot | undefined
  readonly patches: readonly proto.ISyncdPatch[]
  readonly hasMorePatches: boolean
}

/** A MAC is wrong: the network has not sent what the account's devices have written, or this copy of it is wrong. */
export class UnreadableSettings extends Error {
  readonly collection: string
  /** How many the network has sent. */
  settings = 0
  constructor(collection: string, reason: string) {
    super(`the settings in ${collection} can't be read: ${reason}`)
    this.collection = collection
  }
}

export async function withFiles(
  { snapshot, patches, hasMorePatches }: Extracted,
  fetchOptions: RequestInit,
): Promise<CollectionReply> {
  const whole = patches.map(async (patch) => {
    if (!patch.externalMutations) return patch
    const { mutations } = await downloadExternalPatch(patch.externalMutations, fetchOptions)
    return { ...patch, externalMutations: null, mutations: [...(patch.mutations ?? []), ...mutations] }
  })
  return { snapshot, patches: await Promise.all(whole), hasMorePatches }
}

/** Ids of the keys that are needed to read a reply, and missing. */
export async function missingKeys(reply: CollectionReply, find: FindKey): Promise<string[]> {
  const { snapshot, patches } = reply
  const ids = [snapshot, ...patches, ...recordsIn(reply)].flatMap((one) => one?.keyId?.id ?? [])
  const missing = new Set<string>()
  for (const id of new Set(ids.map(textOf))) if (!(await find(id))) missing.add(id)
  return [...missing]
}

function recordsIn({ snapshot, patches }: CollectionReply): (proto.ISyncdRecord | null | undefined)[] {
  const ofPatches = patches.flatMap(({ mutations }) => (mutations ?? []).map(({ record }) => record))
  return [...(snapshot?.records ?? []), ...ofPatches]
}

/**
 * Reads a reply on top of a state, and verifies it: Baileys' decoders skip what they can't decrypt, and only log a wrong MAC (rc14
 * Utils/chat-utils.js). Throws UnreadableSettings, or Baileys' error if a key is missing.
 */
export async function readReply(
  name: string,
  reply: CollectionReply,
  from: LTHashState,
  find: FindKey,
  onMutation: (mutation: ChatMutation) => void,
): Promise<LTHashState> {
  try {
    return await readParts(name, reply, from, find, onMutation)
  } catch (error) {
    if (error instanceof UnreadableSettings) error.settings = recordsIn(reply).length
    throw error
  }
}

async function readParts(
  name: string,
  { snapshot, patches }: CollectionReply,
  from: LTHashState,
  find: FindKey,
  onMutation: (mutation: ChatMutation) => void,
): Promise<LTHashState> {
  let state = from
  if (snapshot) {
    const { records, version } = snapshot
    state = await readMutations(
      name,
      records ?? [],
      toNumber(version?.version),
      newLTHashState(),
      find,
      onMutation,
    )
    await verify(name, state, snapshot, snapshot.mac, find)
  }
  for (const patch of patches) {
    const version = toNumber(patch.version?.version)
    await verifyPatch(name, patch, version, find)
    state = await readMutations(name, patch.mutations ?? [], version, state, find, onMutation)
    await verify(name, state, patch, patch.snapshotMac, find)
  }
  return state
}

async function readMutations(
  name: string,
  mutations: readonly (proto.ISyncdMutation | proto.ISyncdRecord)[],
  version: number,
  from: LTHashState,
  find: FindKey,
  onMutation: (mutation: ChatMutation) => void,
): Promise<LTHashState> {
  const read: ChatMutation[] = []
  const list = mutations as proto.ISyncdMutation[]
  const next = await decodeSyncdMutations(list, from, find as never, (one) => read.push(one), true).catch(
    (error: unknown) => {
      throw isMissingKeyError(error) ? error : new UnreadableSettings(name, reasonOf(error))
    },
  )
  if (read.length < mutations.length) throw new UnreadableSettings(name, `a setting of version ${version}`)
  for (const one of read) onMutation(one)
  return { ...next, version }
}

async function verify(
  name: string,
  state: LTHashState,
  { keyId }: { keyId?: proto.IKeyId | null },
  mac: Uint8Array | null | undefined,
  find: FindKey,
): Promise<void> {
  const end = { version: state.version, mac, keyId: textOf(keyId?.id ?? new Uint8Array()) }
  if (!(await isIntact(name, state, end, find)))
    throw new UnreadableSettings(name, `the hash of version ${state.version}`)
}

async function verifyPatch(
  name: string,
  patch: proto.ISyncdPatch,
  version: number,
  find: FindKey,
): Promise<void> {
  const { keyId, mutations, patchMac, snapshotMac } = patch
  const { patch: key } = (await macKeysOf(textOf(keyId?.id ?? new Uint8Array()), find)) ?? {}
  const macs = (mutations ?? []).map(({ record }) =>
    Buffer.from(record?.value?.blob ?? []).subarray(-MAC_BYTES),
  )
  const parts = [snapshotMac ?? new Uint8Array(), ...macs, bytesOf(version), Buffer.from(name)]
  if (!key || !macOf(key, parts).equals(patchMac ?? new Uint8Array()))
    throw new UnreadableSettings(name, `the MAC of patch ${version}`)
}

/** How a reply ends: the MAC over the LTHash of its last version. */
export interface ReplyEnd {
  readonly version: number
  readonly mac: Uint8Array | null | undefined
  readonly keyId: string
}

export function endOf({ snapshot, patches }: CollectionReply): ReplyEnd | undefined {
  const last = patches.at(-1)
  const [end, mac] = last ? [last, last.snapshotMac] : [snapshot, snapshot?.mac]
  return (
    end && { version: toNumber(end.version?.version), mac, keyId: textOf(end.keyId?.id ?? new Uint8Array()) }
  )
}

/** Whether a stored state has the hash that the writer of this version had. */
export async function isIntact(
  name: string,
  { hash, version }: LTHashState,
  end: ReplyEnd,
  find: FindKey,
): Promise<boolean> {
  const keys = await macKeysOf(end.keyId, find)
  if (!keys || version !== end.version) return false
  return macOf(keys.snapshot, [hash, bytesOf(version), Buffer.from(name)]).equals(end.mac ?? new Uint8Array())
}

/** The MAC of an index, which names a setting in a collection's state. */
export async function indexMac(
  index: Uint8Array,
  keyId: Uint8Array,
  find: FindKey,
): Promise<string | undefined> {
  const keys = await macKeysOf(textOf(keyId), find)
  return keys && macOf(keys.index, [index]).toString('base64')
}

const MAC_BYTES = 32

/** The keys for MACs that are derived from a shared one. */
async function macKeysOf(
  id: string,
  find: FindKey,
): Promise<{ index: Buffer; snapshot: Buffer; patch: Buffer } | undefined> {
  const { keyData } = (await find(id)) ?? {}
  if (!keyData) return undefined
  const all = Buffer.from(hkdf(Buffer.from(keyData), 160, { info: 'WhatsApp Mutation Keys' }))
  return { index: all.subarray(0, 32), snapshot: all.subarray(96, 128), patch: all.subarray(128, 160) }
}

function macOf(key: Buffer, parts: readonly Uint8Array[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** A version in 64 bits. */
function bytesOf(version: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(version))
  return bytes
}

function textOf(id: Uint8Array): string {
  return Buffer.from(id).toString('base64')
}
