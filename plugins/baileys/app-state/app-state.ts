import type { BinaryNode, ChatMutation, LTHashState, WAPatchName, WASocket } from '@whiskeysockets/baileys'
import type { Dispatcher } from 'undici'
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
import type { queryOf } from '../protocol/query.ts'
import { refusalOf } from '../protocol/refusal.ts'

export interface AppStateParts {
  wa: WASocket
  query: ReturnType<typeof queryOf>
  /** For snapshots and large patches, which lie on the media host. */
  dispatcher: Dispatcher | undefined
}

/** One turn at the collections: nobody else of this session reads or writes them meanwhile. */
export interface Turn {
  /** Brings a collection up to date, or reads it again from its start, and answers where it is then. */
  pull(name: WAPatchName, fromStart?: boolean): Promise<LTHashState>
  /** Takes an own change over, once the network has it. */
  push(name: WAPatchName, state: LTHashState, mutation: ChatMutation): Promise<void>
}

export interface AppState {
  /** All of the turn is stored, or, when `work` throws, nothing. Rejects SETTINGS_NOT_READY or as a query does. */
  inTurn<T>(work: (turn: Turn) => Promise<T>): Promise<T>
  /** What comes in now is read once more: it is no news. */
  readonly isRewinding: boolean
}

/** The account's shared settings as this companion has them: hash and version of each collection. */
export function createAppState({ wa, query, dispatcher }: AppStateParts): AppState {
  const { keys, creds } = wa.authState
  const options = dispatcher ? ({ dispatcher } as never) : undefined
  let isRewinding = false

  const getKey = async (id: string) => (await keys.get('app-state-sync-key', [id]))[id]
  const store = (name: WAPatchName, state: LTHashState): Promise<void> =>
    Promise.resolve(keys.set({ 'app-state-sync-version': { [name]: state } }))

  async function stored(name: WAPatchName): Promise<LTHashState> {
    const { [name]: state } = await keys.get('app-state-sync-version', [name])
    return state ? ensureLTHashStateVersion(state) : newLTHashState()
  }

  async function catchUp(name: WAPatchName, from: LTHashState, learnt: ChatMutation[]): Promise<LTHashState> {
    const collection = { name, version: String(from.version), return_snapshot: String(from.version === 0) }
    const reply = await query(syncOf({ tag: 'collection', attrs: collection }), 'read the settings')
    const refused = refusedIn(reply)
    if (refused) throw refusalOf(refused, 'read the settings')
    const answer = (await extractSyncdPatches(reply, options as never))[name]
    let state = from
    if (answer?.snapshot) {
      const decoded = await decodeSyncdSnapshot(name, answer.snapshot, getKey, undefined, false)
      state = decoded.state
      learnt.push(...Object.values(decoded.mutationMap))
    }
    if (answer?.patches.length) {
      const { patches } = answer
      const decoded = await decodePatches(
        name,
        patches,
        state,
        getKey,
        options as never,
        undefined,
        undefined,
        false,
      )
      state = decoded.state
      learnt.push(...Object.values(decoded.mutationMap))
    }
    await store(name, state)
    return answer?.hasMorePatches && state.version > from.version ? catchUp(name, state, learnt) : state
  }

  return {
    get isRewinding() {
      return isRewinding
    },
    async inTurn(work) {
      const learnt: ChatMutation[] = []
      const turn: Turn = {
        async pull(name, fromStart = false) {
          isRewinding = fromStart
          try {
            return await catchUp(name, fromStart ? newLTHashState() : await stored(name), learnt)
          } finally {
            isRewinding = false
          }
        },
        async push(name, state, mutation) {
          await store(name, state)
          learnt.push(mutation)
        },
      }
      // The same lock that Baileys takes for its own sync (Socket/chats.js resyncAppState).
      const result = await keys
        .transaction(() => work(turn), creds.me?.id ?? '')
        .catch((error: unknown) => {
          if (isMissingKeyError(error)) throw gatewayError('SETTINGS_NOT_READY', [], { cause: error })
          throw refusalOf(error, 'sync the settings')
        })
      // After the turn: what listens must not run inside its transaction.
      for (const mutation of learnt)
        processSyncAction(mutation, wa.ev, creds.me as never, undefined, wa.logger)
      return result
    },
  }
}

/** A query about one collection. */
export function syncOf(collection: BinaryNode): BinaryNode {
  const content = [{ tag: 'sync', attrs: {}, content: [collection] }]
  return { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' }, content }
}

/**
 * The error of a collection, in the form of a failed query. It stands inside a good answer, where Baileys does
 * not look (Utils/generics.js assertNodeErrorFree).
 */
export function refusedIn(reply: BinaryNode): { message: string; data: number } | undefined {
  const collection = getBinaryNodeChild(getBinaryNodeChild(reply, 'sync'), 'collection')
  if (collection?.attrs['type'] !== 'error') return undefined
  const error = getBinaryNodeChild(collection, 'error')
  return { message: error?.attrs['text'] ?? 'refused', data: Number(error?.attrs['code'] ?? 500) }
}
