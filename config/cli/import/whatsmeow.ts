import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { ForeignCreds } from '../../../plugins/baileys/store/foreign-device.ts'
import { type ImportedAccount, type Keys, linkedCreds } from './account.ts'
import type { ForeignDatabase } from './foreign-database.ts'
import { readFields } from './protobuf.ts'
import { bytesOf, senderKeyRecord, sessionRecord } from './signal-records.ts'

/** A row of whatsmeow_device. */
export interface WhatsmeowDevice {
  jid: string
  lid: string | null
  registration_id: number | string
  noise_key: Buffer
  identity_key: Buffer
  signed_pre_key: Buffer
  signed_pre_key_id: number
  signed_pre_key_sig: Buffer
  adv_key: Buffer
  adv_details: Buffer
  adv_account_sig: Buffer
  adv_account_sig_key: Buffer
  adv_device_sig: Buffer
  platform: string
  push_name: string
}

/** Converts a device of whatsmeow's SQL store to the form of Baileys. */
export async function whatsmeowDevice(
  database: ForeignDatabase,
  device: WhatsmeowDevice,
): Promise<Pick<ImportedAccount, 'creds' | 'keys' | 'notes'>> {
  const { jid } = device
  const keys: Keys = {}
  const put = (type: string, id: string, value: unknown): void => {
    keys[type] ??= {}
    keys[type][id] = typeof value === 'string' ? value : JSON.stringify(value)
  }
  const preKeys = await database.rows<{ key_id: number; key: Buffer; uploaded: boolean | number }>(
    'whatsmeow_pre_keys',
    { jid },
  )
  for (const { key_id, key } of preKeys) put('pre-key', String(key_id), jsonPair(key))
  for (const { their_id, identity } of await database.rows<{ their_id: string; identity: Buffer }>(
    'whatsmeow_identity_keys',
    { our_jid: jid },
  ))
    put('identity-key', addressOf(their_id), bytesOf(withType(identity)))

  let dropped = 0
  const now = Date.now()
  for (const { their_id, session } of await database.rows<{ their_id: string; session: Buffer | null }>(
    'whatsmeow_sessions',
    { our_jid: jid },
  )) {
    const record = session ? attempt(() => sessionRecord(session, now)) : undefined
    if (record) put('session', addressOf(their_id), record)
    else dropped += 1
  }
  for (const { chat_id, sender_id, sender_key } of await database.rows<{
    chat_id: string
    sender_id: string
    sender_key: Buffer
  }>('whatsmeow_sender_keys', { our_jid: jid })) {
    const record = attempt(() => senderKeyRecord(sender_key))
    // Baileys stores the JSON as bytes.
    if (record)
      put('sender-key', `${chat_id}::${sender_id.replace(/:(\d+)$/, '::$1')}`, bytesOf(Buffer.from(record)))
    else dropped += 1
  }
  const newest = await putAppState(database, jid, put)
  await putLidMappings(database, keys, put)
  const notes = [
    ...(dropped > 0
      ? [`${dropped} encryption states could not be converted; their chats begin new ones`]
      : []),
  ]
  return { creds: credsOf(device, preKeys, newest), keys, notes }
}

type Put = (type: string, id: string, value: unknown) => void

/** @returns the id of the newest key. */
async function putAppState(database: ForeignDatabase, jid: string, put: Put): Promise<string | undefined> {
  const keys = await database.rows<{
    key_id: Buffer
    key_data: Buffer
    timestamp: number | string
    fingerprint: Buffer
  }>('whatsmeow_app_state_sync_keys', { jid })
  keys.sort((a, b) => Number(b.timestamp) - Number(a.timestamp))
  for (const { key_id, key_data, timestamp, fingerprint } of keys) {
    const fields = readFields(fingerprint)
    put('app-state-sync-key', key_id.toString('base64'), {
      keyData: key_data.toString('base64'),
      fingerprint: {
        rawId: fields.number(1),
        currentIndex: fields.number(2),
        deviceIndexes: fields.numbers(3),
      },
      timestamp: String(timestamp),
    })
  }
  const versions = await database.rows<{ name: string; version: number | string; hash: Buffer }>(
    'whatsmeow_app_state_version',
    { jid },
  )
  for (const { name, version, hash } of versions) {
    const macs = await database.rows<{ version: number | string; index_mac: Buffer; value_mac: Buffer }>(
      'whatsmeow_app_state_mutation_macs',
      { jid, name },
    )
    // whatsmeow keeps several per index; the last one counts.
    macs.sort((a, b) => Number(a.version) - Number(b.version))
    const indexValueMap = Object.fromEntries(
      macs.map(({ index_mac, value_mac }) => [
        index_mac.toString('base64'),
        { valueMac: bytesOf(value_mac) },
      ]),
    )
    put('app-state-sync-version', name, { version: Number(version), hash: bytesOf(hash), indexValueMap })
  }
  return keys[0]?.key_id.toString('base64')
}

/** whatsmeow has one map for all devices; here each device has the entries of its own chats. */
async function putLidMappings(database: ForeignDatabase, keys: Keys, put: Put): Promise<void> {
  if (!(await database.has('whatsmeow_lid_map'))) return
  const addresses = [...Object.keys(keys['session'] ?? {}), ...Object.keys(keys['identity-key'] ?? {})]
  const users = new Set(addresses.map((address) => address.replace(/(_\d+)?\.\d+$/, '')))
  for (const { lid, pn } of await database.rows<{ lid: string; pn: string }>('whatsmeow_lid_map')) {
    if (!users.has(lid) && !users.has(pn)) continue
    put('lid-mapping', pn, JSON.stringify(lid))
    put('lid-mapping', `${lid}_reverse`, JSON.stringify(pn))
  }
}

function credsOf(
  device: WhatsmeowDevice,
  preKeys: readonly { key_id: number; uploaded: boolean | number }[],
  myAppStateKeyId: string | undefined,
): ForeignCreds {
  const { jid, lid, push_name, adv_account_sig_key } = device
  const last = (ids: readonly number[]): number => ids.reduce((most, id) => Math.max(most, id), 0)
  const uploaded = preKeys.filter((key) => Boolean(key.uploaded)).map(({ key_id }) => key_id)
  return linkedCreds({
    noiseKey: jsonPair(device.noise_key),
    pairingEphemeralKeyPair: jsonPair(newPrivateKey()),
    signedIdentityKey: jsonPair(device.identity_key),
    signedPreKey: {
      keyPair: jsonPair(device.signed_pre_key),
      signature: bytesOf(device.signed_pre_key_sig),
      keyId: device.signed_pre_key_id,
    },
    registrationId: Number(device.registration_id),
    advSecretKey: device.adv_key.toString('base64'),
    account: {
      details: bytesOf(device.adv_details),
      accountSignatureKey: bytesOf(adv_account_sig_key),
      accountSignature: bytesOf(device.adv_account_sig),
      deviceSignature: bytesOf(device.adv_device_sig),
    },
    me: { id: jid, ...(lid ? { lid } : {}), name: push_name },
    signalIdentities: [
      {
        identifier: { name: lid || jid, deviceId: 0 },
        identifierKey: bytesOf(withType(adv_account_sig_key)),
      },
    ],
    platform: device.platform,
    nextPreKeyId: last(preKeys.map(({ key_id }) => key_id)) + 1,
    firstUnuploadedPreKeyId: last(uploaded) + 1,
    ...(myAppStateKeyId ? { myAppStateKeyId } : {}),
  })
}

/** `100…_1:3` → `100…_1.3` */
function addressOf(theirId: string): string {
  return theirId.replace(/:(\d+)$/, '.$1')
}

function withType(key: Buffer): Buffer {
  return Buffer.concat([Buffer.from([5]), key])
}

/** The PKCS #8 prefix of a 32-byte private key. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')

function jsonPair(privateKey: Buffer): Record<'private' | 'public', unknown> {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, privateKey]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { private: bytesOf(privateKey), public: bytesOf(publicKey) }
}

function newPrivateKey(): Buffer {
  return generateKeyPairSync('x25519').privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
}

/** Undefined for bytes that are not a record. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
