import type { ChatMutation, LTHashState, WAPatchName } from '@whiskeysockets/baileys'
import { type Log, reasonOf } from 'wamux/plugin'
import { ALL_WA_PATCH_NAMES, newLTHashState, proto } from '../baileys.ts'
import type { SettingSignal } from '../sdk.ts'
import type { AbProp } from './ab-props.ts'
import type { AppState } from './app-state.ts'
import type { PhoneRequests } from './phone-requests.ts'
import {
  collectionIn,
  type RecoveredCollection,
  type RecoveredRecord,
  type RecoveryAnswer,
} from './recovered.ts'
import { textOf } from './setting-indexes.ts'
import { actionOf, hasValue } from './setting-signals.ts'
import { type FindKey, indexMac, type ReplyEnd, type UnreadableSettings } from './verification.ts'

export interface RecoveryParts {
  appState: AppState
  requests: PhoneRequests
  getKey: FindKey
  log: Log
  raise(signal: SettingSignal): Promise<unknown>
  abProp: AbProp
  /** A collection is what the account's devices have written. */
  onIntact(name: WAPatchName): Promise<void>
  /** Raises the removal of all settings known by this version that are not among those present. */
  only(name: WAPatchName, version: number, present: ReadonlySet<string>): Promise<void>
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

/** AB props of WhatsApp Web: whether phones restore collections, and up to how many settings (zapo spec/abprops). */
const ENABLED = 16_329
const MAX_SETTINGS = 18_786
const DEFAULT_MAX_SETTINGS = 2_000

export function createRecovery(parts: RecoveryParts): Recovery {
  const { appState, requests, getKey, log, raise, abProp, onIntact, only } = parts

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
    const present = new Set<string>()
    for (const record of restored.records) {
      const index = await indexMac(record.index, record.keyId, getKey)
      if (index === undefined) {
        await requests.keys([Buffer.from(record.keyId).toString('base64')], name)
        throw new Error('a key is missing')
      }
      state.indexValueMap[index] = { valueMac: record.mac }
      present.add(textOf(indexOf(record.index)))
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
    await only(name, restored.version, present)
    await appState.replace(name, state, news.map(mutationOf))
  }

  return {
    async read(name, end) {
      const found = requests.isWrong(name) ? 'wrong' : await appState.check(name, end)
      if (found === 'intact') await onIntact(name)
      if (found !== 'wrong') return
      await requests.foundWrong(name)
      await pull(name, true)
    },
    missingKeys: (name, ids) => requests.keys(ids, name),
    async unreadable({ collection, message, settings }) {
      log.warn({ collection, reason: message }, 'the settings on the network are altered or damaged')
      // As WhatsApp Web (WAWebSyncdSnapshotRecoveryGatingUtils), which has the name and the locale never restored.
      const isSmall = settings <= abProp(MAX_SETTINGS, DEFAULT_MAX_SETTINGS)
      if (collection !== 'critical_block' && abProp(ENABLED, true) && isSmall)
        return requests.collection(collection)
      log.warn(
        { collection },
        'the phone does not restore these settings: if this stays so, link the session again',
      )
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
