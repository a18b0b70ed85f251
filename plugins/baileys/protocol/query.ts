import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { getBinaryNodeChild, isJidGroup, isJidNewsletter } from '../baileys.ts'
import { type Boom, refusalOf } from './refusal.ts'

/** Sends one query; rejects with an error of the table that names the attempted `verb`. */
export type Query = (node: BinaryNode, verb: string, timeoutMs?: number) => Promise<BinaryNode>

export type QuerySocket = Pick<WASocket, 'sendNode' | 'waitForMessage' | 'generateMessageTag'>

/**
 * Unlike `query` of Baileys, it keeps the `backoff` of an error, seconds after which the query may be repeated (whatsapp-rust
 * src/request.rs).
 */
export function queryOf(wa: QuerySocket): Query {
  return async (node, verb, timeoutMs) => {
    try {
      return await answerTo(wa, node, timeoutMs)
    } catch (error) {
      throw refusalOf(error, verb, itemOf(node))
    }
  }
}

async function answerTo(
  wa: QuerySocket,
  { attrs, ...node }: BinaryNode,
  timeoutMs?: number,
): Promise<BinaryNode> {
  const id = attrs['id'] ?? wa.generateMessageTag()
  const waiting = wa.waitForMessage<BinaryNode>(id, timeoutMs)
  // It is awaited only once the frame is written.
  waiting.catch(() => undefined)
  await wa.sendNode({ ...node, attrs: { ...attrs, id } })
  const answer = await waiting
  // Baileys resolves with undefined at its time-out.
  if (!answer) throw gatewayError('NETWORK_SILENT')
  const { code, text = 'Unknown error', backoff } = getBinaryNodeChild(answer, 'error')?.attrs ?? {}
  if (code === undefined) return answer
  throw Object.assign(new Error(text), { data: Number(code), backoff: Number(backoff ?? 0) }) satisfies Boom
}

/** The queried group or newsletter. */
function itemOf({ attrs: { to = '' } }: BinaryNode): string {
  return isJidGroup(to) || isJidNewsletter(to) ? to : ''
}

/** The stanza of a query to the server itself; Baileys adds its id. */
export function iq(xmlns: string, type: 'get' | 'set', content: BinaryNode): BinaryNode {
  return { tag: 'iq', attrs: { to: 's.whatsapp.net', type, xmlns }, content: [content] }
}
