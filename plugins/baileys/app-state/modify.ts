import type {
  ChatModification,
  ChatMutation,
  LTHashState,
  WAPatchCreate,
  WASocket,
} from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { chatModificationToAppPatch, encodeSyncdPatch, proto } from '../baileys.ts'
import type { Query } from '../protocol/query.ts'
import { refusalOf } from '../protocol/refusal.ts'
import type { Change, StarredMessage } from '../sdk.ts'
import { type AppState, refusedIn, syncKeysOf, syncOf, type Turn } from './app-state.ts'

type QuickReply = Extract<ChatModification, { quickReply: unknown }>['quickReply']

export interface ModifyParts {
  wa: WASocket
  appState: AppState
  query: Query
  /** The network has accepted a change of this session. */
  onChanged(patch: WAPatchCreate, version: number): Promise<void>
}

/** Each attempt begins with a pull; the third rereads the collection from the start, since the local one may be ahead. */
const TRIES_FROM_START = [false, false, true, false]
const CONFLICT = 409

/**
 * Changes a shared setting through the account's app state. Replaces Baileys' appPatch (Socket/chats.js, rc14), which has
 * two faults:
 *
 * It ignores that the network refused a patch (409 inside the reply) and keeps its own version of the collection, so that
 * every later change is refused and silently lost. Here a conflict is resolved and the change retried.
 *
 * After a removal it leaves the removed value in its index (Utils/chat-utils.js encodeSyncdPatch) and subtracts it again at
 * the next change; from then on other devices can't verify this one's patches.
 */
export function modifyOf({ wa, appState, query, onChanged }: ModifyParts) {
  const { creds, keys } = wa.authState
  const getKey = syncKeysOf(keys)

  async function push(turn: Turn, patch: WAPatchCreate, keyId: string): Promise<number> {
    let refused: ReturnType<typeof refusedIn>
    for (const fromStart of TRIES_FROM_START) {
      const base = await turn.pull(patch.type, fromStart)
      const { encoded, state } = await encode(patch, keyId, base, getKey)
      const attrs = { name: patch.type, version: String(base.version), return_snapshot: 'false' }
      const content = [{ tag: 'patch', attrs: {}, content: encoded }]
      refused = refusedIn(await query(syncOf({ tag: 'collection', attrs, content }), 'change the setting'))
      if (!refused) {
        await turn.push(patch.type, state, mutationOf(patch))
        return state.version
      }
      if (refused.data !== CONFLICT) break
    }
    throw refusalOf(refused, 'change the setting')
  }

  return async (change: Change, jid: string): Promise<void> => {
    const keyId = creds.myAppStateKeyId
    if (!keyId) throw gatewayError('SETTINGS_NOT_READY')
    const patch = patchOf(change, jid)
    await onChanged(patch, await appState.inTurn((turn) => push(turn, patch, keyId)))
  }
}

/**
 * Baileys writes stars to another collection than WhatsApp Web, and without the author, by whom phones find another member's message in
 * a group (Utils/chat-utils.js chatModificationToAppPatch; whatsmeow appstate/encode.go BuildStar, zapo WA_APPSTATE_SCHEMAS).
 */
function patchOf(change: Change, jid: string): WAPatchCreate {
  if ('statusMute' in change) return statusMute(jid, change.statusMute)
  if ('quickReply' in change) return quickReply(change.quickReply)
  const [message]: readonly StarredMessage[] = 'star' in change ? change.star.messages : []
  if (!('star' in change) || !message) return chatModificationToAppPatch(change as ChatModification, jid)
  const { id, fromMe = false, participant } = message
  return {
    syncAction: { timestamp: Date.now(), starAction: { starred: change.star.star } },
    index: ['star', jid, id, fromMe ? '1' : '0', (!fromMe && participant) || '0'],
    type: 'regular_high',
    apiVersion: 2,
    operation: proto.SyncdMutation.SyncdOperation.SET,
  }
}

/** Not among Baileys' settings (whatsmeow appstate/keys.go IndexUserStatusMute). */
function statusMute(jid: string, muted: boolean): WAPatchCreate {
  return {
    syncAction: { timestamp: Date.now(), userStatusMuteAction: { muted } },
    index: ['userStatusMute', jid],
    type: 'regular_high',
    apiVersion: 7,
    operation: proto.SyncdMutation.SyncdOperation.SET,
  }
}

/** Baileys' drops the keywords and the count of uses (Utils/chat-utils.js chatModificationToAppPatch). */
function quickReply({ timestamp: id, ...reply }: QuickReply): WAPatchCreate {
  const empty = { shortcut: '', message: '', keywords: [], count: 0, deleted: false }
  return {
    syncAction: { timestamp: Date.now(), quickReplyAction: { ...empty, ...reply } },
    index: ['quick_reply', id ?? String(Math.floor(Date.now() / 1000))],
    type: 'regular',
    apiVersion: 2,
    operation: proto.SyncdMutation.SyncdOperation.SET,
  }
}

async function encode(
  patch: WAPatchCreate,
  keyId: string,
  base: LTHashState,
  getKey: Parameters<typeof encodeSyncdPatch>[3],
): Promise<{ encoded: Uint8Array; state: LTHashState }> {
  const made = await encodeSyncdPatch(patch, keyId, base, getKey)
  if (patch.operation === proto.SyncdMutation.SyncdOperation.REMOVE) {
    const index = made.patch.mutations?.[0]?.record?.index?.blob ?? new Uint8Array()
    delete made.state.indexValueMap[Buffer.from(index).toString('base64')]
  }
  return { encoded: proto.SyncdPatch.encode(made.patch).finish(), state: made.state }
}

/** The change as read by another device. */
function mutationOf({ index, syncAction }: WAPatchCreate): ChatMutation {
  return { index, syncAction: { value: syncAction } }
}
