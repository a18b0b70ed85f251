import type { GatewayServices } from 'wamux/plugin'
import { bare, bytes, child, children, el } from '../../stanza.ts'
import type { Stanza, Uplink } from '../../types.ts'
import type { KeyBundle } from './handshake.ts'
import type { OwnDevice } from './own-device.ts'
import { createSenderKeys, type SenderKeys } from './sender-keys.ts'
import { createSessions, type SignalCredentials, type SignalSessions } from './signal.ts'

type Wire = GatewayServices['wire']

/** A phone's own keys and its Signal sessions. */
export interface PhoneKeys {
  readonly creds: SignalCredentials
  readonly sessions: SignalSessions
  readonly senderKeys: SenderKeys
  /** Publishes `count` more one-time prekeys. */
  publish(count: number): Promise<void>
  /** Opens missing sessions with the devices; returns the devices that have a session. */
  openSessions(devices: readonly string[], renew?: boolean): Promise<string[]>
  /** Opens a session from the key bundle in a retry receipt. */
  acceptRetryKeys(device: string, receipt: Stanza): Promise<void>
  /** Ends the sessions with the devices whose removal a notification announces. */
  endRemoved(notification: Stanza): Promise<void>
}

export const PREKEYS = 20

/** Publishes the keys of a new phone or bot; a restored one receives its queue. */
export async function connect({ creds, publish }: PhoneKeys, uplink: Uplink): Promise<'new' | 'restored'> {
  const isNew = creds.nextPreKeyId === 1
  if (isNew) await publish(PREKEYS)
  else uplink.setOnline(true)
  return isNew ? 'new' : 'restored'
}

export function createKeys({ wire, account, uplink, slot }: Omit<OwnDevice, 'network'>): PhoneKeys {
  const creds = slot('credentials', () => wire.initAuthCreds())
  creds.me = { id: account.jid, lid: account.lid, name: account.name }
  const sessions = createSessions(wire, creds, (jid) => lidOf(uplink, jid), slot)

  return {
    creds,
    sessions,
    senderKeys: createSenderKeys(wire, slot),
    async publish(count) {
      const from = creds.nextPreKeyId
      const fresh = Array.from({ length: count }, (_, i) => ({
        id: from + i,
        pair: wire.Curve.generateKeyPair(),
      }))
      sessions.addPreKeys(new Map(fresh.map(({ id, pair }) => [id, pair])))
      creds.nextPreKeyId = from + count
      const { keyId, keyPair, signature } = creds.signedPreKey
      const list = fresh.map(({ id, pair }) =>
        el('key', {}, [el('id', {}, toBigEndian(id, 3)), el('value', {}, Buffer.from(pair.public))]),
      )
      await uplink.query(
        el('iq', { xmlns: 'encrypt', type: 'set', to: 's.whatsapp.net' }, [
          el('registration', {}, toBigEndian(creds.registrationId, 4)),
          el('type', {}, Buffer.from([5])),
          el('identity', {}, Buffer.from(creds.signedIdentityKey.public)),
          el('list', {}, list),
          el('skey', {}, [
            el('id', {}, toBigEndian(keyId, 3)),
            el('value', {}, Buffer.from(keyPair.public)),
            el('signature', {}, Buffer.from(signature)),
          ]),
        ]),
      )
    },
    async openSessions(devices, renew = false) {
      const open: string[] = []
      const missing: string[] = []
      for (const jid of devices) {
        const isOpen = !renew && (await sessions.isOpen(jid))
        ;(isOpen ? open : missing).push(jid)
      }
      if (missing.length === 0) return open
      const users = missing.map((jid) => el('user', { jid }))
      const reply = await uplink.query(
        el('iq', { xmlns: 'encrypt', type: 'get', to: 's.whatsapp.net' }, [el('key', {}, users)]),
      )
      for (const user of children(child(reply, 'list'), 'user')) {
        if (child(user, 'error')) continue
        const jid = user.attrs['jid'] ?? ''
        await sessions.open(jid, bundleOf(wire, user))
        open.push(jid)
      }
      return open
    },
    async endRemoved(notification) {
      for (const { attrs } of children(child(notification, 'remove'), 'device'))
        await sessions.end(attrs['lid'] ?? attrs['jid'] ?? '')
    },
    async acceptRetryKeys(device, receipt) {
      const given = child(receipt, 'keys')
      if (!given) return
      await sessions.open(device, bundleOf(wire, given))
    },
  }
}

/** Reads a key bundle. Its signed-prekey signature is verified when the session is opened. */
function bundleOf(wire: Wire, user: Stanza): KeyBundle {
  const signed = child(user, 'skey')
  const oneTime = child(user, 'key')
  const keyOf = (bytes: Buffer): Buffer => Buffer.from(wire.generateSignalPubKey(bytes))
  const idOf = (node: Stanza | undefined): number => bytes(child(node, 'id')).readUIntBE(0, 3)
  return {
    identityKey: keyOf(bytes(child(user, 'identity'))),
    signedPreKey: {
      id: idOf(signed),
      key: keyOf(bytes(child(signed, 'value'))),
      signature: bytes(child(signed, 'signature')),
    },
    preKey: oneTime && { id: idOf(oneTime), key: keyOf(bytes(child(oneTime, 'value'))) },
  }
}

async function lidOf(uplink: Uplink, jid: string): Promise<string | undefined> {
  const query = el('usync', { mode: 'query', context: 'background' }, [
    el('query', {}, [el('lid')]),
    el('list', {}, [el('user', { jid: bare(jid) })]),
  ])
  const reply = await uplink.query(el('iq', { xmlns: 'usync', type: 'get', to: 's.whatsapp.net' }, [query]))
  const user = child(child(child(reply, 'usync'), 'list'), 'user')
  return child(user, 'lid')?.attrs['val']
}

function toBigEndian(value: number, size: number): Buffer {
  const buffer = Buffer.alloc(size)
  buffer.writeUIntBE(value, 0, size)
  return buffer
}
