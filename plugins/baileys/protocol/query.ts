import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { refusalOf } from './refusal.ts'

/** One query; rejects with an error of the table. */
export function queryOf(wa: Pick<WASocket, 'query'>) {
  return async (node: BinaryNode, verb: string, timeoutMs?: number): Promise<BinaryNode> => {
    try {
      return await wa.query(node, timeoutMs)
    } catch (error) {
      throw refusalOf(error, verb)
    }
  }
}
