import type { SignalDataSet, SignalDataTypeMap } from '@whiskeysockets/baileys'
import { createSerialQueue, withTimeout } from 'wamux/plugin'
import type { KeyStore } from './signal-keys.ts'

/** The salt of an account's tokens for first contacts; the phone sends it to its companions. */
export interface NctSalt {
  /**
   * Undefined if none is known. On a new link, the first call waits briefly for the history, which contains the salt.
   *
   * @param reread rereads the settings, for a session that was linked before the salt was stored.
   */
  get(reread: () => Promise<void>): Promise<Uint8Array | undefined>
  /** A part of the history was read: `get` no longer waits, with or without a salt. */
  ofHistory(salt: Uint8Array | undefined): Promise<void>
  /** The shared settings have set or removed the salt. */
  ofSettings(salt: Uint8Array | undefined): Promise<void>
}

interface SaltParts {
  keys: Pick<KeyStore, 'get' | 'set'>
  /** Whether the history is yet to come. */
  isNew: boolean
  /** Time in milliseconds that the first message to a person waits for the history. */
  historyMs?: number
}

/** Stored sealed, as a key of the session. */
interface Stored {
  /** Empty if the settings have none. */
  readonly salt: Buffer
  /** The settings were reread in vain: a part of the history may still bring a salt. */
  readonly isProvisional?: boolean
}

const TYPE = 'nct-salt' as keyof SignalDataTypeMap
const ID = 'salt'
const HISTORY_MS = 15_000

export function createNctSalt({ keys, isNew, historyMs = HISTORY_MS }: SaltParts): NctSalt {
  const queue = createSerialQueue()
  let come = (): void => undefined
  const history = new Promise<void>((resolve) => {
    come = resolve
  })
  let awaited: Promise<void> | undefined

  async function stored(): Promise<Stored | undefined> {
    const { [ID]: found } = await keys.get(TYPE, [ID])
    return found as unknown as Stored | undefined
  }

  async function store(salt: Uint8Array, isProvisional = false): Promise<void> {
    const found: Stored = { salt: Buffer.from(salt), ...(isProvisional ? { isProvisional } : {}) }
    await keys.set({ [TYPE]: { [ID]: found } } as unknown as SignalDataSet)
  }

  /** Called while nothing is stored: on a new link the history brings the salt, on an older one only the settings. */
  async function learn(reread: () => Promise<void>): Promise<void> {
    if (isNew) return withTimeout(history, historyMs, () => undefined)
    await reread()
    await queue.run(async () => {
      if (!(await stored())) await store(Buffer.alloc(0), true)
    })
  }

  return {
    async get(reread) {
      let found = await queue.run(stored)
      if (!found) {
        awaited ??= learn(reread).catch(() => undefined)
        await awaited
        found = await queue.run(stored)
      }
      return found?.salt.length ? found.salt : undefined
    },
    // Only fills a gap, as in whatsapp-rust: the settings are newer, even if they have removed the salt. whatsmeow always
    // stores the salt of the history.
    ofHistory: (salt) =>
      queue
        .run(async () => {
          const found = await stored()
          if (salt?.length && (!found || found.isProvisional)) await store(salt)
        })
        .finally(come),
    ofSettings: (salt) => queue.run(() => store(salt ?? Buffer.alloc(0))).finally(come),
  }
}
