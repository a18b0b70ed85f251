import { hkdfSync } from 'node:crypto'
import type { Knex } from 'knex'

/**
 * Writes the keys of a Baileys companion as whatsmeow stores its own: the columns of its SQL store, and records of libsignal
 * by LocalStorageProtocol.proto. Written from these definitions, because a client in Go can't run in these tests.
 */

// biome-ignore lint/suspicious/noExplicitAny: the JSON of Baileys
type Json = any

const bytes = (value: Json): Buffer =>
  Buffer.from(value?.type === 'Buffer' ? value.data : (value ?? ''), 'base64')
const withoutType = (key: Buffer): Buffer => (key.length === 33 ? key.subarray(1) : key)

function field(number: number, value: number | Buffer | undefined): Buffer {
  if (value === undefined) return Buffer.alloc(0)
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)])
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const out: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) out.push((left % 128) + 128)
  return Buffer.from([...out, left])
}

const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields)

/** RecordStructure */
export function encodeSession({ _sessions }: Json): Buffer {
  const all: Json[] = Object.values(_sessions)
  const current = all.find(({ indexInfo }) => indexInfo.closed === -1)
  const others = all.filter((entry) => entry !== current)
  return message(
    ...(current ? [field(1, encodeState(current))] : []),
    ...others.map((entry) => field(2, encodeState(entry))),
  )
}

/** SessionStructure */
function encodeState({ registrationId, currentRatchet, indexInfo, _chains, pendingPreKey }: Json): Buffer {
  const own = currentRatchet.ephemeralKeyPair
  const sender = _chains[own.pubKey]
  const last = currentRatchet.lastRemoteEphemeralKey
  const receiving = Object.entries<Json>(_chains).filter(([, { chainType }]) => chainType === 2)
  // The newest is the last. One that was never received on is there from the start, as in the session of an initiator.
  const chains = receiving.filter(([key]) => key !== last)
  const newest: [string, Json] = [last, _chains[last] ?? { chainKey: { counter: -1 }, messageKeys: {} }]
  return message(
    field(1, 3),
    field(3, bytes(indexInfo.remoteIdentityKey)),
    field(4, bytes(currentRatchet.rootKey)),
    field(5, currentRatchet.previousCounter),
    field(6, encodeChain(own.pubKey, sender, bytes(own.privKey))),
    ...[...chains, newest].map(([key, chain]) => field(7, encodeChain(key, chain))),
    ...(pendingPreKey
      ? [
          field(
            9,
            message(
              field(1, pendingPreKey.preKeyId),
              field(2, bytes(pendingPreKey.baseKey)),
              field(3, pendingPreKey.signedKeyId),
            ),
          ),
        ]
      : []),
    field(10, registrationId),
    field(13, bytes(indexInfo.baseKey)),
  )
}

/** Chain */
function encodeChain(key: string, { chainKey, messageKeys }: Json, privateKey?: Buffer): Buffer {
  const skipped = Object.entries<Json>(messageKeys).map(([index, seed]) => {
    const derived = Buffer.from(hkdfSync('sha256', bytes(seed), Buffer.alloc(32), 'WhisperMessageKeys', 80))
    const [cipher, mac, iv] = [derived.subarray(0, 32), derived.subarray(32, 64), derived.subarray(64)]
    return field(4, message(field(1, Number(index)), field(2, cipher), field(3, mac), field(4, iv)))
  })
  return message(
    field(1, bytes(key)),
    field(2, privateKey),
    field(3, message(field(1, chainKey.counter + 1), field(2, chainKey.key && bytes(chainKey.key)))),
    ...skipped,
  )
}

/** SenderKeyRecordStructure, newest first */
export function encodeSenderKey(states: Json[]): Buffer {
  return message(
    ...states
      .reverse()
      .map(({ senderKeyId, senderChainKey, senderSigningKey, senderMessageKeys }) =>
        field(
          1,
          message(
            field(1, senderKeyId),
            field(2, message(field(1, senderChainKey.iteration), field(2, bytesOfKey(senderChainKey.seed)))),
            field(
              3,
              message(
                field(1, bytesOfKey(senderSigningKey.public)),
                field(2, bytesOfKey(senderSigningKey.private)),
              ),
            ),
            ...senderMessageKeys.map(({ iteration, seed }: Json) =>
              field(4, message(field(1, iteration), field(2, bytesOfKey(seed)))),
            ),
          ),
        ),
      ),
  )
}

/** Sender keys hold bytes as Node writes them, or as BufferJSON does. */
function bytesOfKey({ data }: Json): Buffer {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data)
}

/** The columns of whatsmeow's tables, as its version 15 has them. */
export async function createStore(db: Knex): Promise<void> {
  const bytea = db.client.dialect === 'sqlite3' ? 'BLOB' : 'bytea'
  const tables = {
    whatsmeow_device: `jid TEXT PRIMARY KEY, lid TEXT, registration_id BIGINT, noise_key ${bytea}, identity_key ${bytea},
      signed_pre_key ${bytea}, signed_pre_key_id INTEGER, signed_pre_key_sig ${bytea}, adv_key ${bytea}, adv_details ${bytea},
      adv_account_sig ${bytea}, adv_account_sig_key ${bytea}, adv_device_sig ${bytea}, platform TEXT, push_name TEXT`,
    whatsmeow_identity_keys: `our_jid TEXT, their_id TEXT, identity ${bytea}`,
    whatsmeow_pre_keys: `jid TEXT, key_id INTEGER, key ${bytea}, uploaded BOOLEAN`,
    whatsmeow_sessions: `our_jid TEXT, their_id TEXT, session ${bytea}`,
    whatsmeow_sender_keys: `our_jid TEXT, chat_id TEXT, sender_id TEXT, sender_key ${bytea}`,
    whatsmeow_app_state_sync_keys: `jid TEXT, key_id ${bytea}, key_data ${bytea}, timestamp BIGINT, fingerprint ${bytea}`,
    whatsmeow_app_state_version: `jid TEXT, name TEXT, version BIGINT, hash ${bytea}`,
    whatsmeow_app_state_mutation_macs: `jid TEXT, name TEXT, version BIGINT, index_mac ${bytea}, value_mac ${bytea}`,
    whatsmeow_lid_map: 'lid TEXT PRIMARY KEY, pn TEXT',
  }
  for (const [name, columns] of Object.entries(tables)) await db.raw(`CREATE TABLE ${name} (${columns})`)
}

/** @returns the JID that WuzAPI's user has. */
export async function writeDevice(
  db: Knex,
  { creds, keys }: { creds: string; keys: Readonly<Record<string, string>> },
): Promise<string> {
  const { me, account, signedPreKey, ...device } = JSON.parse(creds)
  const jid: string = me.id
  await db('whatsmeow_device').insert({
    jid,
    lid: me.lid,
    registration_id: device.registrationId,
    noise_key: bytes(device.noiseKey.private),
    identity_key: bytes(device.signedIdentityKey.private),
    signed_pre_key: bytes(signedPreKey.keyPair.private),
    signed_pre_key_id: signedPreKey.keyId,
    signed_pre_key_sig: bytes(signedPreKey.signature),
    adv_key: Buffer.from(device.advSecretKey, 'base64'),
    adv_details: bytes(account.details),
    adv_account_sig: bytes(account.accountSignature),
    adv_account_sig_key: bytes(account.accountSignatureKey),
    adv_device_sig: bytes(account.deviceSignature),
    platform: device.platform ?? '',
    push_name: me.name ?? '',
  })
  for (const [name, json] of Object.entries(keys)) await writeKey(db, jid, name, JSON.parse(json), device)
  return jid
}

async function writeKey(db: Knex, jid: string, name: string, value: Json, device: Json): Promise<void> {
  const id = (type: string): string => name.slice(type.length + 1)
  const address = (type: string): string => id(type).replace(/\.(\d+)$/, ':$1')
  if (name.startsWith('pre-key-')) {
    const key_id = Number(id('pre-key'))
    const uploaded = key_id < device.firstUnuploadedPreKeyId
    await db('whatsmeow_pre_keys').insert({ jid, key_id, key: bytes(value.private), uploaded })
  } else if (name.startsWith('session-')) {
    const row = { our_jid: jid, their_id: address('session'), session: encodeSession(value) }
    await db('whatsmeow_sessions').insert(row)
  } else if (name.startsWith('identity-key-')) {
    const identity = withoutType(bytes(value))
    await db('whatsmeow_identity_keys').insert({ our_jid: jid, their_id: address('identity-key'), identity })
  } else if (name.startsWith('sender-key-memory-')) {
    // It sends its sender key with every message, and remembers nothing.
  } else if (name.startsWith('sender-key-')) {
    const [chat_id, user, of] = id('sender-key').split('::')
    const sender_key = encodeSenderKey(JSON.parse(bytes(value).toString()))
    await db('whatsmeow_sender_keys').insert({
      our_jid: jid,
      chat_id,
      sender_id: `${user}:${of}`,
      sender_key,
    })
  } else if (name.startsWith('app-state-sync-key-')) {
    const { rawId = 0, currentIndex = 0, deviceIndexes = [] } = value.fingerprint ?? {}
    const packed = Buffer.concat((deviceIndexes as number[]).map(varint))
    const row = { key_id: Buffer.from(id('app-state-sync-key'), 'base64'), key_data: bytes(value.keyData) }
    const fingerprint = message(field(1, rawId), field(2, currentIndex), field(3, packed))
    await db('whatsmeow_app_state_sync_keys').insert({
      jid,
      ...row,
      timestamp: Number(value.timestamp),
      fingerprint,
    })
  } else if (name.startsWith('app-state-sync-version-')) {
    const collection = id('app-state-sync-version')
    const { version, hash, indexValueMap } = value
    await db('whatsmeow_app_state_version').insert({ jid, name: collection, version, hash: bytes(hash) })
    for (const [index, { valueMac }] of Object.entries<Json>(indexValueMap))
      await db('whatsmeow_app_state_mutation_macs').insert({
        ...{ jid, name: collection, version },
        index_mac: Buffer.from(index, 'base64'),
        value_mac: bytes(valueMac),
      })
  } else if (name.startsWith('lid-mapping-') && !name.endsWith('_reverse'))
    await db('whatsmeow_lid_map').insert({ pn: id('lid-mapping'), lid: value })
}
