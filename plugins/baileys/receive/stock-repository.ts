import { createHash } from 'node:crypto'
import type { BinaryNode, SignalRepositoryWithLIDStore, SocketConfig } from '@whiskeysockets/baileys'
import { failpoint } from 'wamux/plugin'
import { DEFAULT_CONNECTION_CONFIG } from '../baileys.ts'
import type { Received } from '../protocol/received.ts'

/** What becomes of a ciphertext. */
export interface DecryptionReports {
  /** The stanza that brought a ciphertext, by the very buffer. */
  stanzaOf(ciphertext: Uint8Array): BinaryNode | undefined
  /** A message was decrypted, and is queued to be stored. Called once for each ciphertext, in order. */
  onDecrypted(hash: string, received: Received): void
  /** A ciphertext can't be decrypted; nothing of it is kept. */
  onFailed(stanza: BinaryNode, ciphertext: Uint8Array, error: unknown): void
}

/** Baileys' own repository, which reports what it decrypts and does nothing else: for the stock mode of the crash tests. */
export function stockRepositoryOf({
  stanzaOf,
  onDecrypted,
  onFailed,
}: DecryptionReports): SocketConfig['makeSignalRepository'] {
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
