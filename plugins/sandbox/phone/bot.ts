import type { GatewayServices, Log } from 'wamux/plugin'
import { el, parseJid, seconds } from '../stanza.ts'
import type { Account, BotProfile, SimulatedNetwork, Stanza } from '../types.ts'
import { sealAnswer } from './bot-secret.ts'
import { type Opened, open } from './inbox.ts'
import { createKeys, PREKEYS } from './keys.ts'
import { newId } from './outbox.ts'

/**
 * A bot: a device with real keys that decrypts what it is asked, and answers as bots do, with the secret that the
 * question carried, first in part and then as a whole.
 */
export async function createBot(
  wire: GatewayServices['wire'],
  network: SimulatedNetwork,
  account: Account,
  { name, persona }: BotProfile,
  log: Log,
): Promise<void> {
  let work: Promise<unknown> = Promise.resolve()
  const uplink = network.connectPhone(account, {
    receive(stanza) {
      work = work
        .then(() => take(stanza))
        .catch((error: unknown) => log.debug({ err: error }, 'a bot could not take a stanza'))
    },
    linkCode: () => undefined,
  })
  const keys = createKeys(wire, account, () => uplink, log)

  async function take(stanza: Stanza): Promise<void> {
    const { tag, attrs } = stanza
    if (tag === 'message') {
      const asked = await open({ wire, account, keys, uplink, secretOf: () => undefined }, stanza)
      if (asked) answer(asked)
      return
    }
    if (tag === 'receipt' || tag === 'notification')
      uplink.send(el('ack', { class: tag, id: attrs['id'], to: attrs['from'], type: attrs['type'] }))
    if (attrs['type'] === 'encrypt') await keys.publish(PREKEYS)
  }

  function answer({ id, from, message }: Opened): void {
    const { messageSecret: secret, botMetadata } = message.messageContextInfo ?? {}
    const text = message.conversation || message.extendedTextMessage?.text
    const asker = network.account(from)
    if (!secret || !text || !asker) return
    const isMine = !botMetadata?.personaId || botMetadata.personaId === persona
    const whole = isMine ? `${name}: ${text}` : `${name} does not know this persona`
    const first = newId()
    const say = (part: Record<string, unknown>, edit: string, stanzaId: string): void => {
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
    say({ conversation: '…' }, 'first', first)
    const { MESSAGE_EDIT } = wire.proto.Message.ProtocolMessage.Type
    const key = { remoteJid: account.jid, id: first, fromMe: false }
    const protocolMessage = { key, type: MESSAGE_EDIT, editedMessage: { conversation: whole } }
    say({ protocolMessage }, 'last', newId())
  }

  await keys.publish(PREKEYS)
}
