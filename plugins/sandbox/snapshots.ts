import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { gatewayError, type Log, reasonOf } from 'wamux/plugin'

/** The part of the state with this name, either restored or new. It is modified in place. */
export type Slot = <T extends object>(name: string, create: () => T) => T

/** The state of network and phones, in memory, and on disk if it survives the process. */
export interface Snapshots {
  /** Folder for files of any size; undefined if nothing is stored. */
  readonly folder: string | undefined
  readonly slot: Slot
  /** Runs work of a phone. Nothing is stored during it, since the state may be half changed. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Calls `send` when all earlier changes are stored; calls keep their order. */
  afterStore(send: () => void): void
  /** Resolves when all earlier changes are stored. */
  stored(): Promise<void>
  close(): Promise<void>
}

/** For a network that ends with its process. */
export const noSnapshots: Snapshots = {
  folder: undefined,
  slot: (_, create) => create(),
  run: (work) => work(),
  afterStore: (send) => send(),
  stored: async () => undefined,
  close: async () => undefined,
}

/** Pause after a failed write, for example on a full disk. */
const RETRY_MS = 1_000

/**
 * Stores the whole state in one file, which is replaced, before anything that follows from it is sent. So whatever was
 * acknowledged to a client survives even a kill. Throws CONFIG_INVALID if the file can't be read.
 */
export function openSnapshots(folder: string, log: Log): Snapshots {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'state')
  const slots = readState(file)
  let waiting: (() => void)[] = []
  let last: Buffer | undefined
  let running = 0
  let isStoring = false
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      if (running === 0 && !isStoring && waiting.length > 0) void store()
    })
  }

  async function store(): Promise<void> {
    const released = waiting
    waiting = []
    isStoring = true
    try {
      await write()
      for (const send of released) send()
    } catch (error) {
      log.error({ err: error, file }, 'the state of the local network could not be stored; trying again')
      waiting = [...released, ...waiting]
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
    } finally {
      isStoring = false
      schedule()
    }
  }

  async function write(): Promise<void> {
    const state = serialize(slots)
    if (last?.equals(state)) return
    const temporary = `${file}.new`
    const handle = await open(temporary, 'w', 0o600)
    try {
      await handle.writeFile(state)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
    last = state
  }

  const afterStore = (send: () => void): void => {
    waiting.push(send)
    schedule()
  }
  return {
    folder,
    slot<T extends object>(name: string, create: () => T): T {
      const found = slots.get(name) ?? create()
      slots.set(name, found)
      return found as T
    },
    async run(work) {
      running += 1
      try {
        return await work()
      } finally {
        running -= 1
        schedule()
      }
    },
    afterStore,
    stored: () => new Promise(afterStore),
    async close() {
      waiting = []
      if (!isStoring)
        await write().catch((error: unknown) => log.error({ err: error, file }, 'network state not stored'))
    },
  }
}

function readState(file: string): Map<string, object> {
  if (!existsSync(file)) return new Map()
  try {
    return deserialize(readFileSync(file)) as Map<string, object>
  } catch (cause) {
    const advice = 'remove it to start with an empty network'
    throw gatewayError('CONFIG_INVALID', [`${file} can not be read (${reasonOf(cause)}); ${advice}`], {
      cause,
    })
  }
}
