import type { ChatMutation, LTHashState, WAPatchName } from '@whiskeysockets/baileys'
import { type Log, reasonOf } from 'wamux/plugin'
import { ALL_WA_PATCH_NAMES, newLTHashState, proto } from '../baileys.ts'
import type { SettingSignal } from '../sdk.ts'
import type { AppState } from './app-state.ts'
import type { PhoneRequests } from './phone-requests.ts'
import {
  collectionIn,
  type RecoveredCollection,
  type RecoveredRecord,
  type RecoveryAnswer,
} from './recovered.ts'
import { actionOf, hasValue } from './setting-signals.ts'
import { type FindKey, indexMac, type ReplyEnd, type UnreadableSettings } from './verification.ts'

export interface RecoveryParts {
  appState: AppState
  requests: PhoneRequests
  getKey: FindKey
  log: Log
  raise(signal: SettingSignal): Promise<unknown>
}

/** Makes collections readable again: from the network's copy, or else from the phone's. */
export interface Recovery {
  /** Baileys has read a reply, which it does not verify as a whole. */
  read(name: WAPatchName, end: ReplyEnd): Promise<void>
  missingKeys(name: WAPatchName, ids: readonly string[]): Promise<void>
  unreadable(error: UnreadableSettings): Promise<void>
  /** Reads again what could not be read: the link is open, or the phone has shared keys. */
  resume(): Promise<void>
  /** The phone has answered. */
  answered(answer: RecoveryAnswer): Promise<void>
}

export function createRecovery({ appState, requests, getKey, log, raise }: RecoveryParts): Recovery {
  /** What fails is tried again with the next change of the collection. */
  async function pull(name: WAPatchName, fromStart: boolean): Promise<void> {
    await appState
      .inTurn((turn) => turn.pull(name, fromStart))
      .catch((error: unknown) => log.debug({ name, err: error }, "a collection of settings can't be read"))
  }

  async function apply(name: WAPatchName, restored: RecoveredCollection): Promise<void> {
    const before = (await appState.known(name)) ?? newLTHashState()
    const state: LTHashState = {
      version: restored.version,
      hash: Buffer.from(restored.hash),
      indexValueMap: {},
    }
    const news: RecoveredRecord[] = []
    for (const record of restored.records) {
      const index = await indexMac(record.index, record.keyId, getKey)
      if (index === undefined) {
        await requests.keys([Buffer.from(record.keyId).toString('base64')], name)
        throw new Error('a key is missing')
      }
      state.indexValueMap[index] = { valueMac: record.mac }
      if (!hasValue(before, index, record.mac)) news.push(record)
    }
    // Before the state: after a crash, settings that it has would be no news.
    for (const { index, value } of news)
      await raise({
        collection: name,
        version: restored.version,
        isOld: false,
        operation: 'set',
        index: indexOf(index),
        ...actionOf(value),
      })
    await appState.replace(name, state, news.map(mutationOf))
  }

  return {
    async read(name, end) {
      if (!requests.isWrong(name) && (await appState.isIntact(name, end))) return
      await requests.foundWrong(name)
      await pull(name, true)
    },
    missingKeys: (name, ids) => requests.keys(ids, name),
    async unreadable({ collection, message }) {
      log.warn({ collection, reason: message }, 'the settings on the network are altered or damaged')
      // As WhatsApp Web, which does not have the name and the blocked people restored (whatsapp-rust src/pdo.rs).
      if (collection !== 'critical_block') await requests.collection(collection)
    },
    async resume() {
      for (const name of requests.unread()) if (isName(name)) await pull(name, false)
    },
    async answered(answer) {
      const name = requests.collectionOf(answer.request)
      if (!name || !isName(name)) return
      try {
        const restored = await collectionIn(answer)
        if (restored.name !== name) throw new Error(`it is ${restored.name}`)
        await apply(name, restored)
        log.info({ collection: name, version: restored.version }, 'the phone has restored the settings')
      } catch (error) {
        log.warn(
          { collection: name, reason: reasonOf(error) },
          "the phone's copy of the settings is not usable",
        )
        return
      }
      await requests.settled(name)
      // What was written since.
      await pull(name, false)
    },
  }
}

function isName(name: string): name is WAPatchName {
  return ALL_WA_PATCH_NAMES.some((one) => one === name)
}

function indexOf(index: Uint8Array): string[] {
  return JSON.parse(Buffer.from(index).toString()) as string[]
}

function mutationOf({ index, value }: RecoveredRecord): ChatMutation {
  const action = proto.SyncActionData.fromObject({ index, value })
  return { index: indexOf(index) as ChatMutation['index'], syncAction: action }
}
