import type { proto } from '@whiskeysockets/baileys'
import { CONTENT_SAMPLES, receivedContent, unixSeconds } from 'wamux/messaging'
import type { GatewayContributions, Sessions } from 'wamux/plugin'
import { ofMessage, ofReceipt, type TranslateParts } from './translate/message.ts'

type Samples = GatewayContributions['eventSamples']
type Sample = Samples[string]
type Scene = Parameters<Sample>[0]
type Deps = Omit<TranslateParts, 'session'> & { sessions: Sessions }

const GROUP = '120363000000000001@g.us'
/** Id of a message that others refer to. */
const EARLIER = '3EB0000000000000000001'
const EDIT = '1'
const REVOKE = '7'
const MESSAGE_EDIT: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT = 14

/** Sample messages and receipts, for tests of webhooks. */
export const eventSamples = (deps: Deps): Samples => {
  const message =
    (contentOf: (scene: Scene) => object, { edit = '', chat = '' } = {}): Sample =>
    (scene) => {
      const { session, person, time, id } = scene
      const sender = chat
        ? { remoteJid: chat, participant: person.lid, participantAlt: person.jid }
        : { remoteJid: person.lid, remoteJidAlt: person.jid }
      const data = {
        message: {
          key: { ...sender, id, fromMe: false, addressingMode: 'lid' },
          message: contentOf(scene),
          messageTimestamp: unixSeconds(time),
          pushName: person.name,
        },
        upsert: 'notify' as const,
        attrs: edit ? { edit } : {},
      }
      return ofMessage({ ...deps, session }, data)
    }

  return {
    'message.text': message(() => CONTENT_SAMPLES.text),
    'message.image': message(() => {
      const { imageMessage } = receivedContent('image')
      return { imageMessage: { ...imageMessage, caption: 'A picture' } }
    }),
    'message.document': message(() => receivedContent('document')),
    'message.location': message(() => CONTENT_SAMPLES.location),
    'message.contact': message(() => CONTENT_SAMPLES.contact),
    'message.poll': message(() => ({
      pollCreationMessageV3: {
        name: 'Lunch?',
        options: [{ optionName: 'Pizza' }, { optionName: 'Salad' }],
        selectableOptionsCount: 1,
      },
    })),
    'message.reply': message(({ person }) => ({
      extendedTextMessage: {
        text: 'I meant this one',
        contextInfo: {
          stanzaId: EARLIER,
          participant: person.lid,
          quotedMessage: { conversation: 'Is this still available?' },
        },
      },
    })),
    'message.reaction': message(({ person, time }) => ({
      reactionMessage: { key: earlierOf(person), text: '👍', senderTimestampMs: Date.parse(time) },
    })),
    'message.edit': message(
      ({ person, time }) => ({
        protocolMessage: {
          key: earlierOf(person),
          type: MESSAGE_EDIT,
          editedMessage: { conversation: 'Hello, corrected' },
          timestampMs: Date.parse(time),
        },
      }),
      { edit: EDIT },
    ),
    'message.revoke': message(({ person }) => ({ protocolMessage: { key: earlierOf(person), type: 0 } }), {
      edit: REVOKE,
    }),
    'message.group': message(() => ({ conversation: 'Hello, group' }), { chat: GROUP }),
    'receipt.read': ({ session, person, time }) =>
      ofReceipt(
        { ...deps, session },
        {
          chat: person.lid,
          sender: person.lid,
          senderAlt: person.jid,
          ids: [EARLIER],
          type: 'read',
          fromMe: false,
          time,
        },
      ),
  }
}

function earlierOf({ lid }: Scene['person']): proto.IMessageKey {
  return { remoteJid: lid, fromMe: true, id: EARLIER }
}
