import type {
  BinaryNode,
  ChatMutation,
  LTHashState,
  SignalKeyStore,
  WAPatchName,
  WASocket,
} from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import {
  ensureLTHashStateVersion,
  extractSyncdPatches,
  getBinaryNodeChild,
  isMissingKeyError,
  newLTHashState,
  processSyncAction,
} from '../baileys.ts'
import { iq, type Query } from '../protocol/query.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { isIntact, type ReplyEnd, readReply, UnreadableSettings, withFiles } from './verification.ts'

export interface AppStateParts {
  wa: WASocket
  query: Query
  /** For downloads of snapshots and large patches from the media host. */
  fetchOptions: RequestInit
  /** Whether the stored copy of a collection is wrong. */
  isWrong(name: WAPatchName): boolean
  /** A collection was read and verified. */
  onReadable(name: WAPatchName): Promise<void>
  /** The network's copy of a collection is wrong. */
  onUnreadable(error: UnreadableSettings): void
}

/** Exclusive access to the collections of this session. */
export interface Turn {
  /** Updates a collection, or rereads it from the start, and verifies it; resolves with its new state. */
  pull(name: WAPatchName, fromStart?: boolean): Promise<LTHashState>
  /** Stores an own change that the network has accepted. */
  push(name: WAPatchName, state: LTHashState, mutation: ChatMutation): Promise<void>
}

export interface AppState {
  /** Commits the whole turn, or nothing if `work` throws. Rejects SETTINGS_NOT_READY or like a query. */
  inTurn<T>(work: (turn: Turn) => Promise<T>): Promise<T>
  /** A turn is under way, which verifies what it reads. */
  readonly isOwnTurn: boolean
  /** A collection as last stored; undefined if it was never read. */
  known(name: WAPatchName): Promise<LTHashState | undefined>
  /** Notes that a collection which was never read has no settings yet: all that it gets are changes. */
  noteEmpty(name: WAPatchName): Promise<void>
  /**
   * Whether Baileys, which has read a reply that ends with this version, has the right hash of it; `passed` if it has read on,
   * since a later reply has the MAC of that version.
   */
  check(name: WAPatchName, end: ReplyEnd): Promise<'intact' | 'wrong' | 'passed'>
  /** Stores a collection that the phone has restored, with the settings that are new. */
  replace(name: WAPatchName, state: LTHashState, mutations: readonly ChatMutation[]): Promise<void>
}

/** The account's shared settings as known to this companion: hash and version of each collection. */
export function createAppState(parts: AppStateParts): AppState {
  const { wa, query, fetchOptions, isWrong, onReadable, onUnreadable } = parts
  const { keys, creds } = wa.authState
  let turns = 0

  const getKey = syncKeysOf(keys)
  const store = (name: WAPatchName, state: LTHashState): Promise<void> =>
    Promise.resolve(keys.set({ 'app-state-sync-version': { [name]: state } }))

  async function known(name: WAPatchName): Promise<LTHashState | undefined> {
    const { [name]: state } = await keys.get('app-state-sync-version', [name])
    return state && ensureLTHashStateVersion(state)
  }

  /** What is known to be wrong is no base for further patches. */
  async function base(name: WAPatchName): Promise<LTHashState> {
    return (isWrong(name) ? undefined : await known(name)) ?? newLTHashState()
  }

  async function catchUp(
    name: WAPatchName,
    from: LTHashState,
    mutations: ChatMutation[],
  ): Promise<LTHashState> {
    const collection = { name, version: String(from.version), return_snapshot: String(from.version === 0) }
    const reply = await query(syncOf({ tag: 'collection', attrs: collection }), 'read the settings')
    const refused = refusedIn(reply)
    if (refused) throw refusalOf(refused, 'read the settings')
    const extracted = (await extractSyncdPatches(reply, fetchOptions))[name]
    const answer = extracted && (await withFiles(extracted, fetchOptions))
    const state = answer
      ? await readReply(name, answer, from, getKey, (mutation) => mutations.push(mutation))
      : from
    await store(name, state)
    return answer?.hasMorePatches && state.version > from.version ? catchUp(name, state, mutations) : state
  }

  function reread(name: WAPatchName, mutations: ChatMutation[]): Promise<LTHashState> {
    return catchUp(name, newLTHashState(), mutations)
  }

  /** A copy that has become wrong is replaced by what the network has. */
  async function update(name: WAPatchName, mutations: ChatMutation[]): Promise<LTHashState> {
    const from = await base(name)
    if (from.version === 0) return reread(name, mutations)
    return catchUp(name, from, mutations).catch((error: unknown) => {
      if (!(error instanceof UnreadableSettings)) throw error
      return reread(name, mutations)
    })
  }

  /** With the lock that Baileys takes for its own sync (Socket/chats.js resyncAppState). */
  const locked = <T>(work: () => Promise<T>): Promise<T> => keys.transaction(work, creds.me?.id ?? '')

  function tell(mutations: readonly ChatMutation[]): void {
    const { me } = creds
    if (me) for (const mutation of mutations) processSyncAction(mutation, wa.ev, me, undefined, wa.logger)
  }

  return {
    known,
    get isOwnTurn() {
      return turns > 0
    },
    async inTurn(work) {
      const mutations: ChatMutation[] = []
      const turn: Turn = {
        async pull(name, fromStart = false) {
          const state = await (fromStart ? reread : update)(name, mutations)
          await onReadable(name)
          return state
        },
        async push(name, state, mutation) {
          await store(name, state)
          mutations.push(mutation)
        },
      }
      const result = await locked(async () => {
        turns += 1
        try {
          return await work(turn)
        } finally {
          turns -= 1
        }
      }).catch((error: unknown) => {
        if (error instanceof UnreadableSettings) onUnreadable(error)
        if (isMissingKeyError(error) || error instanceof UnreadableSettings)
          throw gatewayError('SETTINGS_NOT_READY', [], { cause: error })
        throw refusalOf(error, 'sync the settings')
      })
      // After the turn: listeners must not run inside its transaction.
      tell(mutations)
      return result
    },
    noteEmpty: (name) =>
      locked(async () => {
        if (!(await known(name))) await store(name, newLTHashState())
      }),
    check: (name, end) =>
      locked(async () => {
        const state = await known(name)
        if (state && state.version > end.version) return 'passed'
        return state && (await isIntact(name, state, end, getKey)) ? 'intact' : 'wrong'
      }),
    async replace(name, state, mutations) {
      await locked(() => store(name, state))
      tell(mutations)
    },
  }
}

/** Looks up the keys with which the settings are encrypted. */
export function syncKeysOf(keys: SignalKeyStore) {
  return async (id: string) => (await keys.get('app-state-sync-key', [id]))[id]
}

/** A query about one collection. */
export function syncOf(collection: BinaryNode): BinaryNode {
  return iq('w:sync:app:state', 'set', { tag: 'sync', attrs: {}, content: [collection] })
}

/**
 * The error of a collection, in the form of a failed query. It is nested in a successful reply, where Baileys does not look
 * for it (Utils/generics.js assertNodeErrorFree).
 */
export function refusedIn(reply: BinaryNode): { message: string; data: number } | undefined {
  const collection = getBinaryNodeChild(getBinaryNodeChild(reply, 'sync'), 'collection')
  if (collection?.attrs['type'] !== 'error') return undefined
  const error = getBinaryNodeChild(collection, 'error')
  return { message: error?.attrs['text'] ?? 'refused', data: Number(error?.attrs['code'] ?? 500) }
}
