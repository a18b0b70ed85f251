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
  decodePatches,
  decodeSyncdSnapshot,
  ensureLTHashStateVersion,
  extractSyncdPatches,
  getBinaryNodeChild,
  isMissingKeyError,
  newLTHashState,
  processSyncAction,
} from '../baileys.ts'
import { iq, type Query } from '../protocol/query.ts'
import { refusalOf } from '../protocol/refusal.ts'

export interface AppStateParts {
  wa: WASocket
  query: Query
  /** For downloads of snapshots and large patches from the media host. */
  fetchOptions: RequestInit
}

/** Exclusive access to the collections of this session. */
export interface Turn {
  /** Updates a collection, or rereads it from the start; resolves with its new state. */
  pull(name: WAPatchName, fromStart?: boolean): Promise<LTHashState>
  /** Stores an own change that the network has accepted. */
  push(name: WAPatchName, state: LTHashState, mutation: ChatMutation): Promise<void>
}

export interface AppState {
  /** Commits the whole turn, or nothing if `work` throws. Rejects SETTINGS_NOT_READY or like a query. */
  inTurn<T>(work: (turn: Turn) => Promise<T>): Promise<T>
  /** A collection is being reread from the start: received settings are not changes. */
  readonly isRewinding: boolean
}

/** The account's shared settings as known to this companion: hash and version of each collection. */
export function createAppState({ wa, query, fetchOptions }: AppStateParts): AppState {
  const { keys, creds } = wa.authState
  let isRewinding = false

  const getKey = syncKeysOf(keys)
  const store = (name: WAPatchName, state: LTHashState): Promise<void> =>
    Promise.resolve(keys.set({ 'app-state-sync-version': { [name]: state } }))

  async function stored(name: WAPatchName): Promise<LTHashState> {
    const { [name]: state } = await keys.get('app-state-sync-version', [name])
    return state ? ensureLTHashStateVersion(state) : newLTHashState()
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
    const answer = (await extractSyncdPatches(reply, fetchOptions))[name]
    let state = from
    if (answer?.snapshot) {
      const decoded = await decodeSyncdSnapshot(name, answer.snapshot, getKey, undefined, false)
      state = decoded.state
      mutations.push(...Object.values(decoded.mutationMap))
    }
    if (answer?.patches.length) {
      const { patches } = answer
      const decoded = await decodePatches(
        name,
        patches,
        state,
        getKey,
        fetchOptions,
        undefined,
        undefined,
        false,
      )
      state = decoded.state
      mutations.push(...Object.values(decoded.mutationMap))
    }
    await store(name, state)
    return answer?.hasMorePatches && state.version > from.version ? catchUp(name, state, mutations) : state
  }

  return {
    get isRewinding() {
      return isRewinding
    },
    async inTurn(work) {
      const mutations: ChatMutation[] = []
      const turn: Turn = {
        async pull(name, fromStart = false) {
          isRewinding = fromStart
          try {
            return await catchUp(name, fromStart ? newLTHashState() : await stored(name), mutations)
          } finally {
            isRewinding = false
          }
        },
        async push(name, state, mutation) {
          await store(name, state)
          mutations.push(mutation)
        },
      }
      // The lock that Baileys takes for its own sync (Socket/chats.js resyncAppState).
      const result = await keys
        .transaction(() => work(turn), creds.me?.id ?? '')
        .catch((error: unknown) => {
          if (isMissingKeyError(error)) throw gatewayError('SETTINGS_NOT_READY', [], { cause: error })
          throw refusalOf(error, 'sync the settings')
        })
      // After the turn: listeners must not run inside its transaction.
      const { me } = creds
      if (me) for (const mutation of mutations) processSyncAction(mutation, wa.ev, me, undefined, wa.logger)
      return result
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
