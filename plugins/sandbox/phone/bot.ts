import { createSerialQueue, type GatewayServices, type Log } from 'wamux/plugin'
import { el, parseJid, seconds } from '../stanza.ts'
import type { Account, BotProfile, SimulatedNetwork, Stanza } from '../types.ts'
import { type DecryptedMessage, decryptMessage } from './device/inbox.ts'
import { connect, createKeys, PREKEYS } from './device/keys.ts'
import { newId } from './device/outbox.ts'
import { slotOf } from './device/own-device.ts'
import { sealAnswer } from './messages/bot-secret.ts'

/**
 * A bot: a device with real keys that decrypts questions and answers them like real bots. The answer is encrypted with the
 * secret of the question: first a part, then the whole as an edit.
 */
export async function createBot(
  wire: GatewayServices['wire'],
  network: SimulatedNetwork,
  account: Account,
  { name, persona }: BotProfile,
  log: Log,
): Promise<void> {
  const queue = createSerialQueue()
  const uplink = network.connectPhone(account, {
    receive: (stanza) =>
      void queue
        .run(() => network.snapshots.run(() => handleStanza(stanza)))
        .catch((error: unknown) => log.debug({ err: error }, 'bot failed to handle a stanza')),
    linkCode: () => undefined,
  })
  const keys = createKeys({ wire, account, uplink, slot: slotOf(network, account) })
  const retries = new Map<string, number>()

  async function handleStanza(stanza: Stanza): Promise<void> {
    const { tag, attrs } = stanza
    if (tag === 'message') {
      const question = await decryptMessage(
        { wire, account, keys, uplink, retries, secretOf: () => undefined },
        stanza,
      )
      if (question) answer(question)
      return
    }
    if (tag === 'receipt' || tag === 'notification')
      uplink.send(el('ack', { class: tag, id: attrs['id'], to: attrs['from'], type: attrs['type'] }))
    if (attrs['type'] === 'encrypt') await keys.publish(PREKEYS)
  }

  function answer({ id, from, message }: DecryptedMessage): void {
    const { messageSecret: secret, botMetadata } = message.messageContextInfo ?? {}
    const text = message.conversation || message.extendedTextMessage?.text
    const asker = network.account(from)
    if (!secret || !text || !asker) return
    const isMine = !botMetadata?.personaId || botMetadata.personaId === persona
    const whole = isMine ? `${name}: ${text}` : `${name} does not know this persona`
    const first = newId()
    const sendPart = (part: Record<string, unknown>, edit: string, stanzaId: string): void => {
      const plain = wire.proto.Message.encode(wire.proto.Message.fromObject(part)).finish()
      const sealed = sealAnswer(wire, secret, { id: first, asker: asker.lid, bot: account.jid }, plain)
      const attrs = { id: stanzaId, to: `${parseJid(from)?.user}@${parseJid(from)?.server}`, type: 'text' }
      uplink.send(
        el('message', { ...attrs, t: seconds() }, [
          el('enc', { v: 2, type: 'msmsg' }, sealed),
          el('meta', { target_id: id, target_sender_jid: asker.lid }),
          el('bot', { edit, edit_target_id: edit === 'first' ? undefined : first }),
        ]),
      )
    }
    sendPart({ conversation: '…' }, 'first', first)
    const { MESSAGE_EDIT } = wire.proto.Message.ProtocolMessage.Type
    const key = { remoteJid: account.jid, id: first, fromMe: false }
    const protocolMessage = { key, type: MESSAGE_EDIT, editedMessage: { conversation: whole } }
    sendPart({ protocolMessage }, 'last', newId())
  }

  await connect(keys, uplink)
}
