import { randomUUID } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { gatewayError, type LiveSession, type Socket } from 'wamux/plugin'
import { networkCodeOf } from './failures.ts'
import { Jid } from './jid.ts'
import { child, children, node } from './stanza.ts'

export interface Question {
  readonly xmlns: string
  /** `get` when absent. */
  readonly type?: 'get' | 'set'
  /** The group, newsletter or server that is asked; the server of people when absent. */
  readonly to?: string
  /** Further attributes of the query. */
  readonly attrs?: Readonly<Record<string, string>>
  readonly content?: BinaryNode
  /** The action, for error texts: `Failed to <verb>: …`. */
  readonly verb: string
  /** What does not exist if the network answers 404: ITEM_UNKNOWN names it. */
  readonly item?: string | undefined
}

/** Asks the network one query (`iq`). Rejects like `session.socket.query`, and ITEM_UNKNOWN for a missing item. */
export async function ask(
  socket: Pick<Socket, 'query'>,
  { xmlns, type = 'get', to = Jid.server, attrs, content, verb, item }: Question,
): Promise<BinaryNode> {
  try {
    return await socket.query(node('iq', { to, type, xmlns, ...attrs }, content && [content]), verb)
  } catch (error) {
    if (item === undefined || networkCodeOf(error) !== 404) throw error
    throw gatewayError('ITEM_UNKNOWN', [item], { cause: error })
  }
}

/** Leaves a group, or a community with all of its groups. Rejects ITEM_UNKNOWN for one that does not exist. */
export async function leaveGroup({ socket }: LiveSession, group: string): Promise<void> {
  const question = { xmlns: 'w:g2', verb: 'leave the group', item: group }
  const info = await ask(socket, {
    ...question,
    to: group,
    content: node('query', { request: 'interactive' }),
  })
  const isCommunity = child(child(info, 'group'), 'parent') !== undefined
  const left = node(isCommunity ? 'community' : 'group', { id: group })
  await ask(socket, { ...question, type: 'set', to: Jid.groups, content: node('leave', {}, [left]) })
}

/** Asks about users (`usync`). Results are in the network's order, and some may be missing. */
export async function askUsers(
  socket: Pick<Socket, 'query'>,
  protocols: BinaryNode[],
  users: BinaryNode[],
  verb: string,
): Promise<BinaryNode[]> {
  const attrs = { sid: randomUUID(), mode: 'query', context: 'interactive', last: 'true', index: '0' }
  const content = node('usync', attrs, [node('query', {}, protocols), node('list', {}, users)])
  const reply = await ask(socket, { xmlns: 'usync', content, verb })
  return children(child(child(reply, 'usync'), 'list'), 'user')
}
