import { randomBytes } from 'node:crypto'
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { failpoint, type LinkEvent } from 'wamux/plugin'
import { buildPairingQRData, getBinaryNodeChildren } from '../baileys.ts'
import type { StoredCreds } from '../protocol/credentials.ts'
import { displayOf } from '../protocol/device-system.ts'
import { iq, queryOf } from '../protocol/query.ts'
import { createLinkCode } from './link-code.ts'
import { acceptPairing, refusalOfPairing } from './pair-success.ts'
import { createPasskeyFlow } from './passkey-flow.ts'
import type { PasskeyFlow } from './passkey-port.ts'
import { createQrRotation } from './qr-rotation.ts'
import { ackOf, childOf, SERVER } from './stanzas.ts'
import type { LinkTimes } from './times.ts'

/** When a proof with the secret of the scanned code replaces the comparison of codes in a passkey ceremony. */
export type Handoff = 'relink' | 'always' | 'never'

export interface LinkingParts {
  wa: WASocket
  creds: StoredCreds
  /** Device name of the session; empty for the default system. */
  os: string
  times: LinkTimes
  handoff: Handoff
  /** Resolves when the credentials are committed. */
  save(): Promise<void>
  /** Resolves when the changes of the event are stored. */
  onEvent(event: Exclude<LinkEvent, { type: 'closed' | 'open' }>): Promise<void>
  onFailure(error: unknown): void
}

export interface Linking {
  onPairDevice(stanza: BinaryNode): void
  onPairSuccess(stanza: BinaryNode): void
  /** Handles notifications about linking; undefined for all others. */
  handle(notification: BinaryNode): Promise<void> | undefined
  /** Requests a pairing code; resolves with it once the network has accepted it. */
  requestCode(phone: string): Promise<string>
  readonly passkey: Pick<PasskeyFlow, 'status' | 'submit' | 'confirm'>
  /** Clears the timers. */
  stop(): void
}

/** The platform in a QR code must be the registered one (Utils/companion-reg-client-utils.js). */
const BROWSER: [string, string, string] = ['', 'Chrome', '']

/** Links a session to an account: by QR code or pairing code, and by passkey after either. */
export function createLinking(parts: LinkingParts): Linking {
  const { wa, creds, os, times, handoff, save, onEvent, onFailure } = parts
  const query = queryOf(wa)
  /** Secrets to which a phone has agreed by a code or a passkey, besides the one in the QR code. */
  let agreed: string[] = []

  const qr = createQrRotation({
    times,
    show(ref, expires) {
      const code = buildPairingQRData(
        ref,
        publicKey('noiseKey'),
        publicKey('signedIdentityKey'),
        creds.advSecretKey,
        BROWSER,
      )
      void onEvent({ type: 'qr', code, expires })
    },
    isHeld: () => linkCode.isAlive || passkey.isActive,
    onEnded: () => void wa.end(new Error('QR refs attempts ended')),
  })

  const linkCode = createLinkCode({
    creds,
    query,
    sendNode: wa.sendNode,
    codeMs: times.codeMs,
    display: displayOf(os),
    onSecret: (secret) => agreed.push(secret),
    onEnded(detail) {
      void onEvent({ type: 'code-ended', detail })
      qr.refresh()
      qr.release()
    },
  })

  const passkey = createPasskeyFlow(
    {
      query: (type, content) => query(iq('md', type, content), 'link with a passkey'),
      sendNode: wa.sendNode,
      secret: () => agreed.at(-1) ?? creds.advSecretKey,
      async replaceSecret(secret) {
        creds.advSecretKey = secret
        agreed.push(secret)
        await save()
      },
      isHandedOff: () => handoff === 'always' || (handoff === 'relink' && creds.wasLinked === true),
      keys: { noise: creds.noiseKey.public, identity: creds.signedIdentityKey.public },
      onEvent(type, detail) {
        if (type === 'passkey') qr.pause()
        void onEvent({ type, detail })
        if (type === 'passkey-failed') qr.resume()
      },
    },
    times,
  )

  function publicKey(name: 'noiseKey' | 'signedIdentityKey'): string {
    return Buffer.from((name === 'noiseKey' ? creds.noiseKey : creds.signedIdentityKey).public).toString(
      'base64',
    )
  }

  /**
   * The secret of the displayed QR code is no longer valid. Unpatched Baileys ignores this, and no phone can link
   * (Baileys#2737).
   */
  async function refresh(notification: BinaryNode): Promise<void> {
    creds.advSecretKey = randomBytes(32).toString('base64')
    await save()
    failpoint('link:secret-rotated')
    await wa.sendNode(ackOf(notification))
    failpoint('link:rotation-acknowledged')
    // A secret to which a phone has agreed is in no QR code and stays valid.
    qr.refresh()
  }

  async function accept(stanza: BinaryNode): Promise<void> {
    const accepted = tryAccept(stanza)
    if (!accepted) {
      passkey.fail("the account's signature of this link is invalid")
      return wa.sendNode(refusalOfPairing(stanza))
    }
    stop()
    Object.assign(creds, accepted.creds)
    await save()
    failpoint('link:paired')
    const { me, platform = '' } = creds
    const { id: jid = '', lid = '', name: businessName = '' } = me ?? {}
    await onEvent({ type: 'paired', jid, lid, platform, businessName })
    failpoint('link:announced')
    await wa.sendNode(accepted.reply)
    failpoint('link:answered')
  }

  function tryAccept(stanza: BinaryNode) {
    try {
      return acceptPairing(stanza, creds, [creds.advSecretKey, ...agreed])
    } catch {
      return undefined
    }
  }

  function stop(): void {
    qr.stop()
    linkCode.stop()
    passkey.stop()
    agreed = []
  }

  return {
    onPairDevice(stanza) {
      const refs = getBinaryNodeChildren(childOf(stanza, 'pair-device'), 'ref').map(textOf)
      const { id = '' } = stanza.attrs
      wa.sendNode({ tag: 'iq', attrs: { to: SERVER, type: 'result', id } }).catch(onFailure)
      qr.start(refs)
    },
    onPairSuccess: (stanza) => void accept(stanza).catch(onFailure),
    handle(notification) {
      const type = notification.attrs['type'] ?? ''
      if (creds.account) return undefined
      if (isRefresh(notification)) return refresh(notification)
      if (type === 'passkey_prologue_request') return passkey.request(notification)
      if (type === 'crsc_continuation') return passkey.continue(notification)
      return type === 'link_code_companion_reg' ? linkCode.handle(notification) : undefined
    },
    requestCode: linkCode.request,
    passkey,
    stop,
  }
}

function isRefresh(notification: BinaryNode): boolean {
  return (
    notification.attrs['type'] === 'companion_reg_refresh' ||
    childOf(notification, 'companion_reg_refresh') !== undefined ||
    childOf(notification, 'pair-device-rotate-qr') !== undefined
  )
}

function textOf({ content }: BinaryNode): string {
  return typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8')
}
