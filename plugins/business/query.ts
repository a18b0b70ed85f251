import type { BinaryNode } from '@whiskeysockets/baileys'
import { ask, networkCodeOf, type Question } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'

/** Like `ask`, and rejects NETWORK_FORBIDDEN also if the account is not a business account. */
export async function query({ socket }: LiveSession, question: Question): Promise<BinaryNode> {
  return ask(socket, question).catch((error: unknown) => {
    if (networkCodeOf(error) !== 405) throw error
    throw gatewayError('NETWORK_FORBIDDEN', ['not a business account (405)'], { cause: error })
  })
}
