import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { isJidGroup, isJidNewsletter } from '../baileys.ts'
import { refusalOf } from './refusal.ts'

/** Sends one query; rejects with an error of the table, which names the `verb` that was tried. */
export type Query = (node: BinaryNode, verb: string, timeoutMs?: number) => Promise<BinaryNode>

export function queryOf(wa: Pick<WASocket, 'query'>): Query {
  return async (node, verb, timeoutMs) => {
    try {
      return await wa.query(node, timeoutMs)
    } catch (error) {
      throw refusalOf(error, verb, itemOf(node))
    }
  }
}

/** The group or newsletter that is asked. */
function itemOf({ attrs: { to = '' } }: BinaryNode): string {
  return isJidGroup(to) || isJidNewsletter(to) ? to : ''
}

/** The stanza of a query to the server itself; Baileys adds its id. */
export function iq(xmlns: string, type: 'get' | 'set', content: BinaryNode): BinaryNode {
  return { tag: 'iq', attrs: { to: 's.whatsapp.net', type, xmlns }, content: [content] }
}
