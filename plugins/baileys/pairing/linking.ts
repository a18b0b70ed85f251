import { randomBytes } from 'node:crypto'
import type { AuthenticationCreds, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import {
  aesEncryptCTR,
  bytesToCrockford,
  derivePairingCodeKey,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
} from '../baileys.ts'
import { iq, queryOf } from '../protocol/query.ts'

export interface LinkingParts {
  wa: WASocket
  creds: AuthenticationCreds
  save(): Promise<void>
  onQr(code: string): void
  onPasskey(detail: string): void
}

export interface Linking {
  /** The QR text from Baileys with the secret that is valid now. */
  fresh(code: string): string
  /** Handles notifications about linking that unpatched Baileys mishandles; undefined for all others. */
  handle(notification: BinaryNode): Promise<void> | undefined
  /** Requests a pairing code; resolves with it once the network has accepted it. */
  requestCode(phone: string): Promise<string>
}

/** The device name in a request for a pairing code: the network refuses names that it does not know (Baileys#2769). */
const CODE_DISPLAY = 'Chrome (Linux)'
const CHROME = '1'

export function createLinking({ wa, creds, save, onQr, onPasskey }: LinkingParts): Linking {
  let shown = ''

  const acknowledge = ({ attrs }: BinaryNode): Promise<void> =>
    wa.sendNode({
      tag: 'ack',
      attrs: {
        class: 'notification',
        id: attrs['id'] ?? '',
        to: attrs['from'] ?? '',
        type: attrs['type'] ?? '',
      },
    })

  /** `…#ref,noise,identity,secret,platform`: Baileys keeps the secret of the first one in all that follow. */
  function fresh(code: string): string {
    const parts = code.split(',')
    if (parts.length < 4) return code
    parts[3] = creds.advSecretKey
    shown = parts.join(',')
    return shown
  }

  /** The secret in the displayed code has expired; unpatched Baileys ignores this, and no phone can link (Baileys#2737). */
  async function refresh(notification: BinaryNode): Promise<void> {
    creds.advSecretKey = randomBytes(32).toString('base64')
    await save()
    if (shown) onQr(fresh(shown))
    await acknowledge(notification)
  }

  async function passkey(notification: BinaryNode): Promise<void> {
    onPasskey(`the account asks for ${notification.attrs['type']}`)
    await acknowledge(notification)
  }

  return {
    fresh,
    handle(notification) {
      const type = notification.attrs['type'] ?? ''
      const isRefresh =
        type === 'companion_reg_refresh' ||
        getBinaryNodeChild(notification, 'companion_reg_refresh') !== undefined ||
        getBinaryNodeChild(notification, 'pair-device-rotate-qr') !== undefined
      if (isRefresh && !creds.account) return refresh(notification)
      // A WebAuthn challenge that only a browser with the account's passkey can answer (Baileys#2672).
      if (type === 'passkey_prologue_request' || type === 'crsc_continuation') return passkey(notification)
      // Unpatched Baileys throws "Invalid buffer" on a notification without keys and ends the attempt (Baileys#2600).
      if (type === 'link_code_companion_reg' && !isWhole(notification)) return acknowledge(notification)
      return undefined
    },

    async requestCode(phone) {
      if (creds.account) throw gatewayError('ALREADY_PAIRED')
      const code = bytesToCrockford(randomBytes(5))
      creds.pairingCode = code
      creds.me = { id: `${phone}@s.whatsapp.net`, name: '~' }
      try {
        await queryOf(wa)(await request(creds, code), 'request a pairing code')
      } catch (error) {
        // What is left of a refused attempt would count as a login at the next start.
        creds.pairingCode = undefined
        delete creds.me
        throw error
      }
      await save()
      return code
    },
  }
}

/** The request of Socket/socket.js requestPairingCode, which sends it without waiting for the reply. */
async function request(creds: AuthenticationCreds, code: string): Promise<BinaryNode> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const key = await derivePairingCodeKey(code, salt)
  const sealed = aesEncryptCTR(creds.pairingEphemeralKeyPair.public, key, iv)
  const part = (tag: string, content: string | Uint8Array): BinaryNode => ({
    tag,
    attrs: {},
    content: Buffer.from(content),
  })
  const content = [
    part('link_code_pairing_wrapped_companion_ephemeral_pub', Buffer.concat([salt, iv, sealed])),
    part('companion_server_auth_key_pub', creds.noiseKey.public),
    part('companion_platform_id', CHROME),
    part('companion_platform_display', CODE_DISPLAY),
    part('link_code_pairing_nonce', '0'),
  ]
  const attrs = { jid: creds.me?.id ?? '', stage: 'companion_hello', should_show_push_notification: 'true' }
  return iq('md', 'set', { tag: 'link_code_companion_reg', attrs, content })
}

function isWhole(notification: BinaryNode): boolean {
  const node = getBinaryNodeChild(notification, 'link_code_companion_reg')
  const keys = [
    'link_code_pairing_ref',
    'primary_identity_pub',
    'link_code_pairing_wrapped_primary_ephemeral_pub',
  ]
  return keys.every((key) => Buffer.isBuffer(getBinaryNodeChildBuffer(node, key)))
}
