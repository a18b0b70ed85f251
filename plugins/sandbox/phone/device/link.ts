import { createCipheriv, createDecipheriv, createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { type GatewayServices, gatewayError, reasonOf } from 'wamux/plugin'
import type { LinkCodeRequest } from '../../types.ts'
import { readQr } from './camera.ts'
import type { KeyIndexes } from './key-indexes.ts'
import type { OwnDevice } from './own-device.ts'
import type { PhonePasskey } from './passkey.ts'
import type { SignalCredentials } from './signal.ts'

type Wire = GatewayServices['wire']

export interface LinkContext extends OwnDevice {
  creds: SignalCredentials
  passkey: PhonePasskey
  keyIndexes: KeyIndexes
  /** Called when the network asks for the account's passkey; the link then waits for it. */
  asked(): void
  /** Ephemeral keys that companions have used for codes, with the ref of each code. */
  usedKeys: Map<string, string>
}

/** Prefix of the data that an account signs to link a device (Baileys Defaults/index.js). */
const ACCOUNT_SIGNATURE = Buffer.from([6, 0])
/** Prefix of what the HMAC is of, for an account with a hosted device (WM pair.go). */
const HOSTED_ACCOUNT = Buffer.from([6, 5])
const ITERATIONS = 131_072

/**
 * Links the companion whose QR code is in the picture.
 * @returns its JID. Rejects with the text that a phone shows.
 */
export async function linkByQr(context: LinkContext, picture: string): Promise<string> {
  const { ref, identity, advSecret } = readQr(picture)
  if (!context.network.unpaired(ref)) {
    throw gatewayError('FIELD_INVALID', ['QRCode', 'this code has expired; show a new one'])
  }
  return completeLink(context, ref, identity, advSecret)
}

/** Links the companion that requested a link by code, if `code` matches. */
export async function linkByCode(
  context: LinkContext,
  code: string,
  request: LinkCodeRequest | undefined,
): Promise<string> {
  const { wire, creds, network } = context
  const typed = code.replace(/[\s-]/g, '').toUpperCase()
  if (!/^[0-9A-Z]{8}$/.test(typed))
    throw gatewayError('FIELD_INVALID', ['Code', 'a pairing code has eight letters and digits'])
  if (!request) throw gatewayError('FIELD_INVALID', ['Code', 'no device requested a link with this phone'])

  const companionEphemeral = await unwrap(typed, request.wrappedEphemeral)
  assertFresh(context, companionEphemeral, request.ref)
  const ephemeral = wire.Curve.generateKeyPair()
  const hello = {
    wrappedEphemeral: await wrap(typed, ephemeral.public),
    identity: Buffer.from(creds.signedIdentityKey.public),
  }
  const { wrappedBundle, companionIdentity } = await network
    .primaryHello(request.ref, hello)
    .catch((cause: unknown) => {
      throw gatewayError('FIELD_INVALID', ['Code', reasonOf(cause)], { cause })
    })

  const shared = Buffer.from(wire.Curve.sharedKey(ephemeral.private, companionEphemeral))
  const bundle = openBundle(wire, shared, wrappedBundle)
  const identityShared = Buffer.from(wire.Curve.sharedKey(creds.signedIdentityKey.private, companionIdentity))
  const material = Buffer.concat([shared, identityShared, bundle.subarray(64, 96)])
  const advSecret = Buffer.from(wire.hkdf(material, 32, { info: 'adv_secret' }))
  return completeLink(context, request.ref, companionIdentity, advSecret)
}

async function completeLink(
  context: LinkContext,
  ref: string,
  companionIdentity: Buffer,
  firstSecret: Buffer,
): Promise<string> {
  const { wire, network, account, creds, passkey, keyIndexes } = context
  const terms = await network
    .passkey(ref, account, fingerprint(firstSecret), passkey.begin(firstSecret, context.asked))
    .catch((cause: unknown) => {
      throw gatewayError('NETWORK_FAILED', ['link the device', reasonOf(cause)], { cause })
    })
  const { identity, advSecret } = terms ?? { identity: companionIdentity, advSecret: firstSecret }
  const { proto, Curve } = wire
  const { E2EE, HOSTED } = proto.ADVEncryptionType
  const device = network.nextDevice(account)
  const { public: publicKey, private: privateKey } = creds.signedIdentityKey
  const details = proto.ADVDeviceIdentity.encode({
    rawId: keyIndexes.rawId,
    timestamp: Math.floor(Date.now() / 1000),
    keyIndex: device,
    accountType: keyIndexes.isHosted ? HOSTED : E2EE,
    deviceType: E2EE,
  }).finish()
  const accountSignature = Curve.sign(privateKey, Buffer.concat([ACCOUNT_SIGNATURE, details, identity]))
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: publicKey,
    accountSignature,
  }).finish()
  const mac = createHmac('sha256', advSecret)
  if (keyIndexes.isHosted) mac.update(HOSTED_ACCOUNT)
  const type = keyIndexes.isHosted ? { accountType: HOSTED } : {}
  const signedIdentityHmac = Buffer.from(
    proto.ADVSignedDeviceIdentityHMAC.encode({
      details: signed,
      hmac: mac.update(signed).digest(),
      ...type,
    }).finish(),
  )
  keyIndexes.add(device)
  const link = { device, signedIdentityHmac, secretId: fingerprint(advSecret) }
  return network.pair(ref, account, link).catch((cause: unknown) => {
    throw gatewayError('NETWORK_FAILED', ['link the device', reasonOf(cause)], { cause })
  })
}

/** Each code has its own ephemeral key: with a shared one, the codes of a session would depend on each other. */
function assertFresh({ usedKeys }: LinkContext, key: Buffer, ref: string): void {
  const id = key.toString('hex')
  if ((usedKeys.get(id) ?? ref) !== ref)
    throw gatewayError('FIELD_INVALID', ['Code', 'the device already used its key for another code'])
  usedKeys.set(id, ref)
}

function fingerprint(secret: Buffer): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** salt 32 ‖ iv 16 ‖ AES-256-CTR of a public key, with a key derived from the pairing code. */
async function wrap(code: string, key: Uint8Array): Promise<Buffer> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', await codeKey(code, salt), iv)
  return Buffer.concat([salt, iv, cipher.update(key), cipher.final()])
}

async function unwrap(code: string, wrapped: Buffer): Promise<Buffer> {
  const key = await codeKey(code, wrapped.subarray(0, 32))
  const decipher = createDecipheriv('aes-256-ctr', key, wrapped.subarray(32, 48))
  return Buffer.concat([decipher.update(wrapped.subarray(48, 80)), decipher.final()])
}

function codeKey(code: string, salt: Buffer): Promise<Buffer> {
  return promisify(pbkdf2)(code, salt, ITERATIONS, 32, 'sha256')
}

/** salt 32 ‖ iv 12 ‖ AES-GCM of companion identity ‖ account identity ‖ random. Fails for a wrong code. */
function openBundle(wire: Wire, shared: Buffer, wrapped: Buffer): Buffer {
  const info = 'link_code_pairing_key_bundle_encryption_key'
  const key = Buffer.from(wire.hkdf(shared, 32, { salt: wrapped.subarray(0, 32), info }))
  const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(32, 44), { authTagLength: 16 })
  decipher.setAuthTag(wrapped.subarray(-16))
  try {
    return Buffer.concat([decipher.update(wrapped.subarray(44, -16)), decipher.final()])
  } catch (cause) {
    throw gatewayError('FIELD_INVALID', ['Code', 'the code is wrong'], { cause })
  }
}
