import { createHmac } from 'node:crypto'

/** A chain of message keys, of a session or a sender. Each message replaces its key. Immutable. */
export interface Chain {
  /** Undefined once the chain is closed: only skipped messages can still be read. */
  readonly key: Buffer | undefined
  /** The number of the next message. */
  readonly next: number
  /** Seeds of skipped messages, by number. */
  readonly skipped: ReadonlyMap<number, Buffer>
}

/** Signal's limit. */
const MAX_SKIPPED = 2000
const SEED = Buffer.of(1)
const NEXT = Buffer.of(2)
const NONE: ReadonlyMap<number, Buffer> = new Map()

export function newChain(key: Buffer, next = 0): Chain {
  return { key, next, skipped: NONE }
}

/** The seed of a message's keys, and the chain without it. Throws if the message was already read. */
export function seedOf(chain: Chain, number: number): { seed: Buffer; rest: Chain } {
  if (number < chain.next) {
    const seed = chain.skipped.get(number)
    if (!seed) throw new Error(`message ${number} was already decrypted`)
    const skipped = new Map(chain.skipped)
    skipped.delete(number)
    return { seed, rest: { ...chain, skipped } }
  }
  const { key, skipped } = skipTo(chain, number)
  if (!key) throw new Error('the chain is closed')
  return { seed: mac(key, SEED), rest: { key: mac(key, NEXT), next: number + 1, skipped } }
}

/** Stores the seeds of the messages before `number`. */
export function skipTo(chain: Chain, number: number): Chain {
  if (number <= chain.next) return chain
  if (!chain.key) throw new Error('the chain is closed')
  if (number - chain.next > MAX_SKIPPED) throw new Error('too many messages were skipped')
  const skipped = new Map(chain.skipped)
  let { key } = chain
  for (let passed = chain.next; passed < number; passed += 1) {
    skipped.set(passed, mac(key, SEED))
    key = mac(key, NEXT)
  }
  for (const oldest of skipped.keys()) {
    if (skipped.size <= MAX_SKIPPED) break
    skipped.delete(oldest)
  }
  return { key, next: number, skipped }
}

export function mac(key: Buffer, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
