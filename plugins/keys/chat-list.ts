import { altOf, Jid } from 'wamux/messaging'
import {
  type CallerRequest,
  chatsNamed,
  type EventPlace,
  type Events,
  type GatewayServices,
  gatewayError,
  isSuspect,
  LEAVING,
  type Leaving,
  leavingIn,
  type NamedChat,
  type Session,
  type Sessions,
} from 'wamux/plugin'

type Targets = GatewayServices['targets']

/** The chats to which a key is limited. */
export interface ChatList {
  /**
   * Rejects a request that names another chat, none, or one that can't be determined, and one that lets something out of the
   * account elsewhere than in these chats.
   */
  permit(request: CallerRequest): Promise<void>
  /** Whether the lane belongs to one of these chats. */
  sees(place: EventPlace): Promise<boolean>
}

export interface ChatListParts {
  events: Pick<Events, 'lane'>
  sessions: Pick<Sessions, 'byId'>
  targets?: Targets | undefined
}

/** @param allowed JIDs in the form of `resolve`. */
export function createChatList(
  allowed: readonly string[],
  { events, sessions, targets }: ChatListParts,
): ChatList {
  const lanes = new Set<string>()
  /** Addresses whose other form, phone or LID, is still unknown; the first message reveals it. */
  let single: readonly string[] | undefined

  async function findLanes(id: string): Promise<void> {
    const session = await sessions.byId(id)
    if (!single) for (const jid of allowed) lanes.add(events.lane(id, jid))
    const looked = await Promise.all(
      (single ?? allowed).map(async (jid) => ({ jid, alt: await altOf(session, jid) })),
    )
    for (const { alt } of looked) if (alt) lanes.add(events.lane(id, alt))
    single = looked.filter(({ jid, alt }) => !alt && Jid.isPerson(jid)).map(({ jid }) => jid)
  }

  async function sees({ session, lane }: EventPlace): Promise<boolean> {
    if (!single || (!lanes.has(lane) && single.length > 0)) await findLanes(session)
    return lanes.has(lane)
  }

  return {
    async permit({ route, body, params, session }) {
      if (route.spec.isFiltered) return
      const inPath = Object.keys(params).find(isSuspect)
      if (inPath) throw gatewayError('KEY_CHAT_UNKNOWN', [inPath])
      const named = chatsNamed(route.spec.body, body)
      const jids: string[] = []
      if (!session || !named.some(({ kind }) => kind !== 'author')) throw gatewayError('KEY_CHAT_MISSING')
      // The author of a message and mentioned people do not receive a message. A message is looked up with the viewer.
      for (const chat of named.filter(({ kind }) => kind !== 'author' && kind !== 'message')) {
        const jid = await resolve(chat, session, targets)
        jids.push(jid)
        if (!(await sees({ session: session.id, lane: events.lane(session.id, jid) })))
          throw gatewayError('KEY_CHAT_FORBIDDEN', [String(chat.value), chat.field])
        // The handler must resolve the name to the same address as this check.
        if (String(chat.value).trim().startsWith('@')) chat.replace(jid)
      }
      const kinds = new Set(leavingIn(route, body).map(({ leaving }) => leaving))
      const namesGroup =
        jids.some((jid) => /@(g\.us|newsletter)$/.test(jid)) || named.some(({ kind }) => kind === 'message')
      const elsewhere = leavingElsewhere(kinds, namesGroup)
      if (elsewhere) throw gatewayError('KEY_CHAT_LEAVES', [LEAVING[elsewhere]])
    },
    sees,
  }
}

/**
 * What a call lets out that is in no chat of the key. A group is one that the request names, also by a message that the handler
 * looks up with the viewer; a file is part of its chat.
 */
function leavingElsewhere(kinds: ReadonlySet<Leaving>, namesGroup: boolean): Leaving | undefined {
  const outside = (['profile', 'contact', 'business'] as const).find((kind) => kinds.has(kind))
  if (outside) return outside
  if (kinds.has('group') && !namesGroup) return 'group'
  return kinds.has('fetch') && !kinds.has('recipient') && !kinds.has('group') ? 'fetch' : undefined
}

/** The JID for the field's value, as read by its handler; rejects KEY_CHAT_UNKNOWN. */
export async function resolve(
  chat: Pick<NamedChat, 'field' | 'value' | 'kind'>,
  session: Session | undefined,
  targets: Targets | undefined,
): Promise<string> {
  const jid = await targets?.named(session, chat)
  if (jid === undefined) throw gatewayError('KEY_CHAT_UNKNOWN', [chat.field])
  return jid
}
