import { type ProtobufFields, readFields } from './protobuf.ts'

/**
 * Converts libsignal records stored by whatsmeow (LocalStorageProtocol.proto) to the form of the libsignal that Baileys
 * uses. Both derive keys in the same way, so a ratchet continues where it was. One thing has no counterpart: for skipped
 * messages whatsmeow stores the derived keys, and this form the keys from which they are derived. If those messages ever
 * arrive, they are requested again.
 */

const SENDING = 1
const RECEIVING = 2
const OURS = 1
const THEIRS = 2
const OPEN = -1

/**
 * @param now milliseconds since 1970, recorded as the time of last use. @returns JSON; undefined for a record without a
 * session that can continue.
 */
export function sessionRecord(data: Buffer, now: number): string | undefined {
  const record = readFields(data)
  const current = record.message(1)
  const states = [...(current ? [{ state: current, closed: OPEN }] : [])]
  for (const state of record.messages(2)) states.push({ state, closed: now })
  const sessions: Record<string, unknown> = {}
  for (const { state, closed } of states) {
    const entry = entryOf(state, closed, now)
    if (entry) sessions[entry.indexInfo.baseKey] ??= entry
  }
  return Object.keys(sessions).length > 0 ? JSON.stringify({ _sessions: sessions, version: 'v1' }) : undefined
}

function entryOf(state: ProtobufFields, closed: number, now: number) {
  const baseKey = state.bytes(13)
  const remoteIdentityKey = state.bytes(3)
  const rootKey = state.bytes(4)
  const sender = state.message(6)
  const receivers = state.messages(7)
  const lastRemote = receivers.at(-1)?.bytes(1)
  const ownPublic = sender?.bytes(1)
  const ownPrivate = sender?.bytes(2)
  if (!baseKey || !remoteIdentityKey || !rootKey || !sender || !lastRemote || !ownPublic || !ownPrivate)
    return undefined
  const pending = state.message(9)
  const chains = [...receivers.map((chain) => chainOf(chain, RECEIVING)), chainOf(sender, SENDING)]
  return {
    registrationId: state.number(10),
    currentRatchet: {
      ephemeralKeyPair: { pubKey: publicKey(ownPublic), privKey: ownPrivate.toString('base64') },
      lastRemoteEphemeralKey: publicKey(lastRemote),
      previousCounter: state.number(5),
      rootKey: rootKey.toString('base64'),
    },
    indexInfo: {
      baseKey: publicKey(baseKey),
      baseKeyType: pending ? OURS : THEIRS,
      closed,
      used: now,
      created: now,
      remoteIdentityKey: publicKey(remoteIdentityKey),
    },
    _chains: Object.fromEntries(chains),
    ...(pending ? { pendingPreKey: pendingOf(pending) } : {}),
  }
}

function chainOf(chain: ProtobufFields, chainType: number): [string, unknown] {
  const key = chain.message(3)
  const chainKey = {
    // whatsmeow stores the next number, Baileys the last one.
    counter: (key?.number(1) ?? 0) - 1,
    key: key?.bytes(2)?.toString('base64'),
  }
  return [publicKey(chain.bytes(1) ?? Buffer.alloc(0)), { chainKey, chainType, messageKeys: {} }]
}

function pendingOf(pending: ProtobufFields): Record<string, unknown> {
  const preKeyId = pending.number(1)
  return {
    signedKeyId: pending.number(3),
    baseKey: publicKey(pending.bytes(2) ?? Buffer.alloc(0)),
    ...(preKeyId ? { preKeyId } : {}),
  }
}

/** The states of a sender key, as JSON. */
export function senderKeyRecord(data: Buffer): string {
  const states = readFields(data)
    .messages(1)
    .map((state) => {
      const chain = state.message(2)
      const signing = state.message(3)
      return {
        senderKeyId: state.number(1),
        senderChainKey: { iteration: chain?.number(1) ?? 0, seed: bytesOf(chain?.bytes(2)) },
        senderSigningKey: { public: bytesOf(signing?.bytes(1)), private: bytesOf(signing?.bytes(2)) },
        senderMessageKeys: state
          .messages(4)
          .map((key) => ({ iteration: key.number(1), seed: bytesOf(key.bytes(2)) })),
      }
    })
  // whatsmeow puts the newest first, Baileys last.
  return JSON.stringify(states.reverse())
}

/** Bytes in the form of BufferJSON. */
export function bytesOf(data: Uint8Array = Buffer.alloc(0)): { type: 'Buffer'; data: string } {
  return { type: 'Buffer', data: Buffer.from(data).toString('base64') }
}

/** Adds the type byte, which some stores omit. */
function publicKey(key: Buffer): string {
  return (key.length === 32 ? Buffer.concat([Buffer.from([5]), key]) : key).toString('base64')
}
