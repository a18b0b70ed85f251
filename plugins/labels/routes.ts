import type { ChatModification } from '@whiskeysockets/baileys'
import { Done, LENGTHS } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'>

const jid = T.String({
  minLength: 1,
  format: 'phone',
  aliases: ['Chat', 'Phone', 'Number'],
  description: 'Phone number or JID of the chat',
})
const labelid = T.String({
  minLength: 1,
  maxLength: LENGTHS.id,
  format: 'id',
  description: 'Id of the label',
  examples: ['2'],
})
const messageid = T.String({ minLength: 1, format: 'id', aliases: ['Id'], description: 'Id of the message' })

const OWN_LABELS = 'Labels come from `POST /label/edit` or the app; nobody else sees them.'

type OfMessage = { labelId: string; messageId: string }

export const routes = <D extends Deps>(r: RouteBuilder<D>) => {
  const onChat = (
    path: string,
    summary: string,
    Details: string,
    change: (labelId: string) => ChatModification,
  ) =>
    r.post(path, {
      ignoresUnknown: true,
      leaves: [],
      isIdempotent: true,
      summary,
      description: OWN_LABELS,
      example: { jid: '5511999999999', labelid: '3' },
      body: T.Object({ jid, labelid }),
      response: Done,
      async handle({ body, session }, { targets }) {
        await session.socket.modify(change(body.labelid), await targets.resolveChat(session, body.jid, 'jid'))
        return { Details }
      },
    })

  const onMessage = (
    path: string,
    summary: string,
    Details: string,
    change: (message: OfMessage) => ChatModification,
  ) =>
    r.post(path, {
      ignoresUnknown: true,
      leaves: [],
      isIdempotent: true,
      summary,
      description: OWN_LABELS,
      example: { jid: '5511999999999', labelid: '3', messageid: '3A1B2C3D4E5F60718293' },
      body: T.Object({ jid, labelid, messageid }),
      response: Done,
      async handle({ body, session }, { targets }) {
        const message = { labelId: body.labelid, messageId: body.messageid }
        await session.socket.modify(change(message), await targets.resolveChat(session, body.jid, 'jid'))
        return { Details }
      },
    })

  return [
    r.post('/label/edit', {
      ignoresUnknown: true,
      leaves: [],
      isDestructive: true,
      summary: 'Create, rename, recolour or delete a label',
      description:
        'Creates the label with that `labelid`, or changes an existing one. Only for business accounts.',
      example: { labelid: '3', name: 'Paid', color: 5 },
      body: T.Object({
        labelid,
        name: T.Optional(T.String({ maxLength: 100, description: 'Required unless it is deleted' })),
        color: T.Optional(T.Integer({ minimum: 0, maximum: 19, description: 'One of 20 colours' })),
        action: T.Optional(T.Boolean({ description: 'Has no effect: the label is always enabled' })),
        deleted: T.Optional(T.Boolean({ description: 'Delete the label' })),
      }),
      response: Done,
      async handle({ body, session }) {
        const { labelid: id, name, color, deleted = false } = body
        if (!name && !deleted) throw gatewayError('FIELD_MISSING', ['name'])
        const label = { id, deleted, ...(name ? { name } : {}), ...(color === undefined ? {} : { color }) }
        await session.socket.modify({ addLabel: label }, '')
        return { Details: deleted ? 'Label deleted' : 'Label saved' }
      },
    }),
    onChat('/label/chat', 'Add a label to a chat', 'Chat labelled', (labelId) => ({
      addChatLabel: { labelId },
    })),
    onChat('/unlabel/chat', 'Remove a label from a chat', 'Label removed', (labelId) => ({
      removeChatLabel: { labelId },
    })),
    onMessage('/label/message', 'Add a label to a message', 'Message labelled', (addMessageLabel) => ({
      addMessageLabel,
    })),
    onMessage('/unlabel/message', 'Remove a label from a message', 'Label removed', (removeMessageLabel) => ({
      removeMessageLabel,
    })),
  ]
}
