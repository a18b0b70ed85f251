import { createHash } from 'node:crypto'
import type { SignalRepositoryWithLIDStore, SocketConfig } from '@whiskeysockets/baileys'
import { failpoint } from 'wamux/plugin'
import { DEFAULT_CONNECTION_CONFIG } from '../../plugins/baileys/baileys.ts'
import type { RepositoryParts } from '../../plugins/baileys/signal/signal-repository.ts'

/** Baileys' own repository, which reports what it decrypts and does nothing else: for the stock mode of the crash tests. */
export function stockRepositoryOf({
  stanzaOf,
  onDecrypted,
  onFailed,
}: RepositoryParts): SocketConfig['makeSignalRepository'] {
  return (auth, logger, pnToLid) => {
    const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      auth,
      logger,
      pnToLid,
    ) as SignalRepositoryWithLIDStore

    async function report<T extends Uint8Array>(ciphertext: Uint8Array, decrypted: Promise<T>): Promise<T> {
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

    return {
      ...inner,
      decryptMessage: (options) => report(options.ciphertext, inner.decryptMessage(options)),
      decryptGroupMessage: (options) => report(options.msg, inner.decryptGroupMessage(options)),
    }
  }
}
