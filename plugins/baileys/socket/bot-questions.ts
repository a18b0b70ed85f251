import type { AuthenticationCreds, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { areJidsSameUser, decryptMessageNode, getBinaryNodeChild, proto } from '../baileys.ts'
import { isBot } from '../protocol/bots.ts'
import type { Receive, Stage } from './stage.ts'

export interface QuestionParts {
  creds: AuthenticationCreds
  sendNode(node: BinaryNode): Promise<void>
  /** Whether the copy could be decrypted. */
  decrypt(copy: BinaryNode): Promise<boolean>
  /** Asks the device that sent the copy to encrypt it again. */
  requestAgain(copy: BinaryNode): Promise<void>
}

/**
 * Receives copies of messages that another own device wrote to a bot, and hides them from Baileys, which would file them
 * under the own chat and confirm them there (Utils/decode-wa-message.js decodeMessageNode, Socket/messages-send.js
 * sendReceipt). The network does not accept that receipt and resends the message every few minutes. A correct receipt
 * repeats the attributes `from` and `recipient`, as in whatsmeow (receipt.go buildBaseReceipt).
 */
export function receiveBotQuestions(parts: QuestionParts): Stage<Receive> {
  const { creds, sendNode, decrypt, requestAgain } = parts

  const isCopy = ({ attrs: { from, recipient } }: BinaryNode): boolean =>
    isBot(recipient ?? '') && (areJidsSameUser(from, creds.me?.id) || areJidsSameUser(from, creds.me?.lid))

  async function receive(copy: BinaryNode): Promise<void> {
    if (!(await decrypt(copy))) return requestAgain(copy)
    const { id = '', from = '', recipient = '' } = copy.attrs
    await sendNode({ tag: 'receipt', attrs: { id, to: from, recipient, type: 'sender' } })
  }

  return (next) =>
    (event, ...args) => {
      if (event !== 'CB:message') return next(event, ...args)
      const stanza = args[0] as BinaryNode
      // A copy without content is acknowledged, not receipted.
      if (!isCopy(stanza) || !getBinaryNodeChild(stanza, 'enc')) return next(event, ...args)
      // Fails on a closing link; the network delivers the copy to the next one.
      receive(stanza).catch(() => undefined)
      return true
    }
}

/** Error code in the ack of an undecryptable message (Utils/decode-wa-message.js NACK_REASONS). */
const UNHANDLED_ERROR = 500

/** As Baileys does for messages of other chats (Socket/messages-recv.js handleMessage). */
export function questionParts(
  wa: WASocket,
  creds: AuthenticationCreds,
): Pick<QuestionParts, 'decrypt' | 'requestAgain'> {
  return {
    async decrypt(copy) {
      const { id = '', lid = '' } = creds.me ?? {}
      const { fullMessage, decrypt } = decryptMessageNode(copy, id, lid, wa.signalRepository, wa.logger)
      await decrypt()
      return fullMessage.messageStubType !== proto.WebMessageInfo.StubType.CIPHERTEXT
    },
    async requestAgain(copy) {
      await wa.sendRetryRequest(copy)
      await wa.sendMessageAck(copy, UNHANDLED_ERROR)
    },
  }
}
