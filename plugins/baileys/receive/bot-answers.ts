import { createDecipheriv } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { children } from 'wamux/messaging'
import { createSerialQueue, type Events, gatewayError, reasonOf, withTimeout } from 'wamux/plugin'
import { getBinaryNodeChild, hkdf, jidNormalizedUser, proto } from '../baileys.ts'
import { BY_SECRET, isSignal, MISSING_SECRET } from '../journal/unknown-ciphertexts.ts'
import { isBot } from '../protocol/bots.ts'
import type { MessageSignal } from '../sdk.ts'

export interface BotAnswers {
  /** Whether the stanza is an answer of a bot, which Baileys must not see. */
  claims(stanza: BinaryNode): boolean
  /** Logs it like any other message, then acknowledges it. */
  answer(stanza: BinaryNode): Promise<void>
}

export interface BotAnswerParts {
  session: string
  events: Pick<Events, 'raise' | 'watch'>
  /** Own LID, with or without device. */
  lid(): string
  /** A message of the last days, sent by this device or another own device. */
  stored(chat: string, id: string): Promise<{ message?: proto.IMessage | null } | undefined>
  /** Acknowledges the stanza, with an error if it can't be read. */
  acknowledge(stanza: BinaryNode, error?: number): Promise<void>
}

const TAG_BYTES = 16
/** How long an answer waits for its question. */
const MAX_WAIT_MS = 5_000

/**
 * Decrypts answers of bots, which are encrypted with the secret in their question (`enc type=msmsg`). Baileys refuses them
 * with 495 and drops them (Socket/messages-recv.js handleMessage), so they never reach it.
 */
export function createBotAnswers({ session, events, lid, stored, acknowledge }: BotAnswerParts): BotAnswers {
  const logQueue = createSerialQueue()

  /** A question from another own device may still be being decrypted when its answer arrives. */
  function secretOf(chat: string, question: string): Promise<Uint8Array | undefined> {
    let stop = (): void => undefined
    const found = new Promise<Uint8Array>((resolve, reject) => {
      const find = async (): Promise<void> => {
        const asked = await stored(chat, question)
        const secret = asked?.message?.messageContextInfo?.messageSecret
        if (secret) resolve(secret)
      }
      stop = events.watch(() => void find().catch(reject))
      find().catch(reject)
    })
    return withTimeout(found, MAX_WAIT_MS, () => undefined).finally(() => stop())
  }

  async function open(stanza: BinaryNode): Promise<MessageSignal> {
    const { id = '', from = '', t } = stanza.attrs
    const { target_id: question = '', target_sender_jid: asker } = attrsOf(stanza, 'meta')
    const { edit = '', edit_target_id: first } = attrsOf(stanza, 'bot')
    const isLater = edit === 'inner' || edit === 'last'
    const secret = await secretOf(from, question)
    if (!secret) throw gatewayError('MESSAGE_UNKNOWN')
    const name = { id: (isLater && first) || id, asker: jidNormalizedUser(asker ?? lid()), bot: from }
    const sealed = children(stanza, 'enc').find(isSealed)?.content as Uint8Array
    const message = proto.Message.decode(decrypt(secret, name, sealed))
    const key = { remoteJid: from, fromMe: false, id }
    return {
      message: { key, message, messageTimestamp: Number(t ?? 0) } as MessageSignal['message'],
      upsert: stanza.attrs['offline'] ? 'append' : 'notify',
      attrs: { ...stanza.attrs, ...(isLater ? { edit: '1' } : {}) },
    }
  }

  async function log(stanza: BinaryNode, opened: MessageSignal | string): Promise<void> {
    if (typeof opened !== 'string') {
      await events.raise(session, 'message', opened)
      return acknowledge(stanza)
    }
    const { id = '', from = '', t } = stanza.attrs
    const message = { key: { remoteJid: from, fromMe: false, id }, messageTimestamp: Number(t ?? 0) }
    await events.raise(session, 'message.undecryptable', {
      message,
      attrs: stanza.attrs,
      reason: opened,
      unavailable: undefined,
      onFailure: '',
    })
    return acknowledge(stanza, MISSING_SECRET)
  }

  return {
    claims(stanza) {
      const encs = children(stanza, 'enc')
      return isBot(stanza.attrs['from'] ?? '') && encs.some(isSealed) && !encs.some(isSignal)
    },
    async answer(stanza) {
      const opened = open(stanza).catch((error: unknown) => reasonOf(error))
      // Parts of an answer are logged in the order of arrival, however long each took to decrypt.
      await logQueue.run(async () => log(stanza, await opened))
    },
  }
}

/** All parts of an answer are encrypted under the id of the first part. */
function decrypt(
  secret: Uint8Array,
  name: { id: string; asker: string; bot: string },
  sealed: Uint8Array,
): Buffer {
  const { encIv, encPayload } = proto.MessageSecretMessage.decode(sealed)
  const payload = Buffer.from(encPayload ?? [])
  const base = hkdf(secret, 32, { info: 'Bot Message' })
  const key = hkdf(base, 32, { info: `${name.id}${name.asker}${name.bot}` })
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(encIv ?? []), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(`${name.id}\0${name.bot}`))
  decipher.setAuthTag(payload.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()])
}

function isSealed({ attrs }: BinaryNode): boolean {
  return attrs['type'] === BY_SECRET
}

function attrsOf(stanza: BinaryNode, tag: string): Record<string, string> {
  return getBinaryNodeChild(stanza, tag)?.attrs ?? {}
}
