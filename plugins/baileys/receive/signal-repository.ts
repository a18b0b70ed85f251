import { AsyncResource } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type {
  BinaryNode,
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
  SocketConfig,
} from '@whiskeysockets/baileys'
import { createKeyedQueue, failpoint, testHooks } from 'wamux/plugin'
import { DEFAULT_CONNECTION_CONFIG } from '../baileys.ts'
import type { Received } from '../protocol/received.ts'
import { INBOX } from '../store/inbox.ts'

export interface RepositoryParts {
  /** Awaited before each message is decrypted. */
  ready(): Promise<void>
  /** The stanza that brought a ciphertext, by the very buffer. */
  stanzaOf(ciphertext: Uint8Array): BinaryNode | undefined
  /** A message was decrypted and is committed. Called once for each ciphertext, in order. */
  onDecrypted(hash: string, received: Received): void
  /** A ciphertext can't be decrypted; nothing of it is kept. */
  onFailed(stanza: BinaryNode, ciphertext: Uint8Array, error: unknown): void
}

type Make = SocketConfig['makeSignalRepository']
type Any = (...args: never[]) => Promise<unknown>

/** Methods that read or change a session; all of them leave the transaction of a running send. */
const ISOLATED = [
  'injectE2ESession',
  'migrateSession',
  'deleteSession',
  'validateSession',
  'getSessionInfo',
  'hasSenderKey',
  'getSenderKeyDistributionMessage',
  'encryptGroupMessage',
] as const

/**
 * Baileys' Signal repository, changed at its public seam (`makeSignalRepository`) in three ways.
 *
 * Order of send: stock rc14 encrypts and writes the stanza inside one transaction and commits after it
 * (Socket/messages-send.js relayMessage), so that a crash in between reuses a message key. Here each call
 * leaves that transaction and commits before it returns: the ratchet is durable before the stanza leaves.
 *
 * One lock per address: stock code locks a send by account and a receipt by sender, though both change the
 * same session row; with crossing messages the later commit undoes the earlier (Utils/auth-utils.js). Here
 * both take the lock of the address under which the session is really kept.
 *
 * And decrypting stores the plaintext in the ratchet's own commit; a ciphertext that was decrypted before
 * is answered from there, the ratchet untouched.
 */
export function signalRepositoryOf({ ready, stanzaOf, onDecrypted, onFailed }: RepositoryParts): Make {
  return (auth, logger, pnToLid) => {
    const keys = auth.keys as SignalKeyStoreWithTransaction
    const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      auth,
      logger,
      // Who can't be asked now goes by phone number: nothing that is encrypted or decrypted waits for it twice.
      async (pns) => (await pnToLid?.(pns).catch(() => undefined)) ?? [],
    ) as SignalRepositoryWithLIDStore
    // Bound now, outside any transaction; a plain closure would run in the caller's.
    const isolate: typeof AsyncResource.bind = testHooks.isStock
      ? (work) => work as never
      : AsyncResource.bind
    const outside = isolate(<T>(work: () => Promise<T>): Promise<T> => work()) as <T>(
      work: () => Promise<T>,
    ) => Promise<T>
    const locks = createKeyedQueue()
    const isolated = <F extends Any>(method: F): F => ((...args) => outside(() => method(...args))) as F

    async function addressOf(jid: string): Promise<string> {
      const isPhone = jid.endsWith('@s.whatsapp.net')
      return inner.jidToSignalProtocolAddress((isPhone && (await inner.lidMapping.getLIDForPN(jid))) || jid)
    }

    async function decryptOnce(
      ciphertext: Uint8Array,
      decrypt: () => Promise<Uint8Array>,
    ): Promise<Uint8Array> {
      const hash = createHash('sha256').update(ciphertext).digest('base64url')
      const stanza = stanzaOf(ciphertext)
      const kept = ((await keys.get(INBOX as never, [hash])) as Record<string, Received>)[hash]
      if (kept) return kept.plain
      const plain = Buffer.from(await decrypt())
      failpoint('after:decrypt')
      if (stanza && !testHooks.isStock) await keys.set({ [INBOX]: { [hash]: { stanza, plain } } } as never)
      return plain
    }

    /** Reports after the transaction has committed, which is when its promise resolves. */
    async function report(ciphertext: Uint8Array, decrypted: Promise<Uint8Array>): Promise<Uint8Array> {
      const stanza = stanzaOf(ciphertext)
      const plain = await decrypted.catch((error: unknown) => {
        if (stanza) onFailed(stanza, ciphertext, error)
        throw error
      })
      const hash = createHash('sha256').update(ciphertext).digest('base64url')
      failpoint('after:ratchet')
      if (stanza) onDecrypted(hash, { stanza, plain: Buffer.from(plain) })
      return plain
    }

    const patched: Partial<SignalRepositoryWithLIDStore> = {
      async encryptMessage(options) {
        return outside(async () =>
          locks.run(await addressOf(options.jid), () => inner.encryptMessage(options)),
        )
      },
      async injectE2ESession(options) {
        return outside(async () =>
          locks.run(await addressOf(options.jid), () => inner.injectE2ESession(options)),
        )
      },
      async decryptMessage(options) {
        await ready()
        const work = () =>
          keys.transaction(
            () => decryptOnce(options.ciphertext, () => inner.decryptMessage(options)),
            options.jid,
          )
        return report(options.ciphertext, locks.run(await addressOf(options.jid), work))
      },
      async decryptGroupMessage(options) {
        await ready()
        const work = () => decryptOnce(options.msg, () => inner.decryptGroupMessage(options))
        return report(options.msg, keys.transaction(work, options.group))
      },
    }
    for (const name of ISOLATED) {
      if (!(name in patched)) Object.assign(patched, { [name]: isolated(inner[name] as Any) })
    }
    return { ...inner, ...patched }
  }
}
