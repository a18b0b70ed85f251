import type { GatewayServices, Log } from 'wamux/plugin'
import { bytes, child, children, el } from '../../stanza.ts'
import type { Account, Stanza, Uplink } from '../../types.ts'

type Wire = GatewayServices['wire']
export type Credentials = ReturnType<Wire['initAuthCreds']>
export type SignalRepository = ReturnType<Wire['makeSignalRepository']>

/** A phone's own keys and its Signal sessions, in memory. */
export interface PhoneKeys {
  readonly creds: Credentials
  readonly signal: SignalRepository
  /** Publishes more one-time prekeys, `count` of them. */
  publish(count: number): Promise<void>
  /** Opens missing sessions with the devices; returns the devices that have a session. */
  openSessions(devices: readonly string[], renew?: boolean): Promise<string[]>
  /** Opens a session from the key bundle in a retry receipt. */
  acceptRetryKeys(device: string, receipt: Stanza): Promise<void>
}

export const PREKEYS = 20

export function createKeys(wire: Wire, account: Account, uplink: () => Uplink, log: Log): PhoneKeys {
  const creds = wire.initAuthCreds()
  creds.me = { id: account.jid, lid: account.lid, name: account.name }
  const store = memoryStore()
  const keys = wire.addTransactionCapability(store, log as never, {
    maxCommitRetries: 1,
    delayBetweenTriesMs: 1,
  })
  const signal = wire.makeSignalRepository({ creds, keys }, log as never, (jids) =>
    lidsOf(uplink(), jids ?? []),
  )

  return {
    creds,
    signal,
    async publish(count) {
      const from = creds.nextPreKeyId
      const fresh = Array.from({ length: count }, (_, i) => ({
        id: from + i,
        pair: wire.Curve.generateKeyPair(),
      }))
      await keys.set({ 'pre-key': Object.fromEntries(fresh.map(({ id, pair }) => [id, pair])) })
      creds.nextPreKeyId = from + count
      const { keyId, keyPair, signature } = creds.signedPreKey
      const list = fresh.map(({ id, pair }) =>
        el('key', {}, [el('id', {}, toBigEndian(id, 3)), el('value', {}, Buffer.from(pair.public))]),
      )
      await uplink().query(
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
        const { exists } = renew ? { exists: false } : await signal.validateSession(jid)
        ;(exists ? open : missing).push(jid)
      }
      if (missing.length === 0) return open
      const users = missing.map((jid) => el('user', { jid }))
      const reply = await uplink().query(
        el('iq', { xmlns: 'encrypt', type: 'get', to: 's.whatsapp.net' }, [el('key', {}, users)]),
      )
      for (const user of children(child(reply, 'list'), 'user')) {
        if (child(user, 'error')) continue
        const jid = user.attrs['jid'] ?? ''
        await signal.injectE2ESession({ jid, session: sessionOf(wire, user) })
        open.push(jid)
      }
      return open
    },
    async acceptRetryKeys(device, receipt) {
      const given = child(receipt, 'keys')
      if (!given) return
      const user = el('user', {}, [
        ...children(given),
        el('registration', {}, bytes(child(receipt, 'registration'))),
      ])
      await signal.injectE2ESession({ jid: device, session: sessionOf(wire, user) })
    },
  }
}

/** Reads a key bundle. Its signed-prekey signature is verified when the session is opened. */
function sessionOf(wire: Wire, user: Stanza): Parameters<SignalRepository['injectE2ESession']>[0]['session'] {
  const signed = child(user, 'skey')
  const oneTime = child(user, 'key')
  const key = (node: Stanza | undefined): Uint8Array => wire.generateSignalPubKey(bytes(child(node, 'value')))
  const id = (node: Stanza | undefined): number => bytes(child(node, 'id')).readUIntBE(0, 3)
  return {
    registrationId: bytes(child(user, 'registration')).readUInt32BE(0),
    identityKey: wire.generateSignalPubKey(bytes(child(user, 'identity'))),
    signedPreKey: { keyId: id(signed), publicKey: key(signed), signature: bytes(child(signed, 'signature')) },
    ...(oneTime ? { preKey: { keyId: id(oneTime), publicKey: key(oneTime) } } : {}),
  } as Parameters<SignalRepository['injectE2ESession']>[0]['session']
}

async function lidsOf(uplink: Uplink, jids: readonly string[]): Promise<{ pn: string; lid: string }[]> {
  const query = el('usync', { mode: 'query', context: 'background' }, [
    el('query', {}, [el('lid')]),
    el(
      'list',
      {},
      jids.map((jid) => el('user', { jid })),
    ),
  ])
  const reply = await uplink.query(el('iq', { xmlns: 'usync', type: 'get', to: 's.whatsapp.net' }, [query]))
  return children(child(child(reply, 'usync'), 'list'), 'user').flatMap((user) => {
    const lid = child(user, 'lid')?.attrs['val']
    return lid ? [{ pn: user.attrs['jid'] ?? '', lid }] : []
  })
}

function toBigEndian(value: number, size: number): Buffer {
  const buffer = Buffer.alloc(size)
  buffer.writeUIntBE(value, 0, size)
  return buffer
}

type Store = Parameters<Wire['addTransactionCapability']>[0]

function memoryStore(): Store {
  const types = new Map<string, Map<string, unknown>>()
  const of = (type: string): Map<string, unknown> => {
    const values = types.get(type) ?? new Map<string, unknown>()
    types.set(type, values)
    return values
  }
  const store = {
    get: async (type: string, ids: string[]) =>
      Object.fromEntries(ids.filter((id) => of(type).has(id)).map((id) => [id, of(type).get(id)])),
    set: async (data: Record<string, Record<string, unknown>>) => {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values)) {
          if (value === null || value === undefined) of(type).delete(id)
          else of(type).set(id, value)
        }
      }
    },
  }
  return store as Store
}
