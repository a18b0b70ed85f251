import { createHash } from 'node:crypto'
import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { bytes, child, children, el, parseJid, text } from '../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../plugins/sandbox/types.ts'
import { eventually } from '../eventually.ts'
import type { LooseNetwork } from '../network.ts'
import { connectNoise, type NoiseConnection } from './noise-client.ts'

/** A linked companion without a client library, which logs in as a test asks for. */
export interface RawCompanion {
  readonly jid: string
  /** Milliseconds from its signature to the request to reconnect (515). */
  readonly restartedAfterMs: number
  logIn(how?: {
    passive?: boolean
    serverKey?: Buffer
    early?: Stanza
    version?: ClientVersion
  }): Promise<NoiseConnection>
}

export type ClientVersion = readonly [primary: number, secondary: number, tertiary: number]

const { Curve, proto } = wire
/** Prefix of the data that a companion signs when it is linked: Baileys Defaults/index.js. */
const DEVICE_SIGNATURE = Buffer.from([6, 1])

/** Links a companion to the account of a phone by QR code. */
export async function linkRaw({ network }: LooseNetwork, phone: Phone): Promise<RawCompanion> {
  const creds = wire.initAuthCreds()
  const { noiseKey, signedIdentityKey, advSecretKey } = creds
  const connection = await register(network.url, { creds })
  const codes = await stanzaWith(connection, 'pair-device')
  const [ref] = children(child(codes, 'pair-device'), 'ref')
  const keys = [noiseKey.public, signedIdentityKey.public].map((key) => Buffer.from(key).toString('base64'))
  const scanned = phone.scan([text(ref), ...keys, advSecretKey].join(','))
  const success = await stanzaWith(connection, 'pair-success')
  const signed = signDevice(
    bytes(child(child(success, 'pair-success'), 'device-identity')),
    signedIdentityKey,
  )
  const sign = el('pair-device-sign', {}, [el('device-identity', { 'key-index': 1 }, signed)])
  connection.send(el('iq', { to: 's.whatsapp.net', type: 'result', id: success.attrs['id'] }, [sign]))
  const jid = await scanned
  const restart = await stanzaWith(connection, 'stream:error')
  await connection.close()
  return {
    jid,
    restartedAfterMs: connection.waitedMs(restart),
    logIn({ passive = false, version = wire.version, ...how } = {}) {
      const { user, device = 0 } = parseJid(jid) ?? {}
      const login = proto.ClientPayload.encode({
        username: Number(user),
        device,
        passive,
        pull: true,
        userAgent: userAgentOf(version),
      }).finish()
      return connectNoise(network.url, { keys: noiseKey, payload: login, ...how })
    },
  }
}

interface Registering {
  creds?: ReturnType<typeof wire.initAuthCreds>
  version?: ClientVersion
  /** Whose hash is sent, if not that of `version`. */
  hashed?: ClientVersion
}

/** Connects as a companion that is to be linked. */
export function register(
  url: string,
  { creds = wire.initAuthCreds(), version = wire.version, hashed = version }: Registering = {},
): Promise<NoiseConnection> {
  const { noiseKey, signedIdentityKey, signedPreKey, registrationId } = creds
  const devicePairingData = {
    buildHash: createHash('md5').update(hashed.join('.')).digest(),
    eRegid: toBigEndian(registrationId, 4),
    eKeytype: Buffer.from([5]),
    eIdent: signedIdentityKey.public,
    eSkeyId: toBigEndian(signedPreKey.keyId, 3),
    eSkeyVal: signedPreKey.keyPair.public,
    eSkeySig: signedPreKey.signature,
  }
  const userAgent = userAgentOf(version)
  const payload = proto.ClientPayload.encode({ passive: false, userAgent, devicePairingData }).finish()
  return connectNoise(url, { keys: noiseKey, payload })
}

function userAgentOf([primary, secondary, tertiary]: ClientVersion) {
  return { appVersion: { primary, secondary, tertiary } }
}

/** Waits for the first stanza with this tag, or with a child of it. */
export async function stanzaWith({ stanzas }: NoiseConnection, tag: string): Promise<Stanza> {
  return eventually(
    () => stanzas.find((stanza) => stanza.tag === tag || child(stanza, tag)),
    `${tag} received`,
    { progress: () => stanzas.length },
  )
}

function signDevice(wrapped: Buffer, identity: { public: Uint8Array; private: Uint8Array }): Buffer {
  const { details: signed } = proto.ADVSignedDeviceIdentityHMAC.decode(wrapped)
  const { details, accountSignature, accountSignatureKey } = proto.ADVSignedDeviceIdentity.decode(
    signed ?? new Uint8Array(),
  )
  const data = [DEVICE_SIGNATURE, details, identity.public, accountSignatureKey]
  const deviceSignature = Curve.sign(
    identity.private,
    Buffer.concat(data.map((part) => Buffer.from(part ?? []))),
  )
  return Buffer.from(
    proto.ADVSignedDeviceIdentity.encode({
      details: details ?? null,
      accountSignature: accountSignature ?? null,
      deviceSignature,
    }).finish(),
  )
}

function toBigEndian(value: number, size: number): Buffer {
  const buffer = Buffer.alloc(size)
  buffer.writeUIntBE(value, 0, size)
  return buffer
}
