import { type GatewayServices, gatewayError } from 'wamux/plugin'
import { bare, seconds } from '../stanza.ts'
import type { ActionParts } from './actions/action.ts'
import type { PhoneChats } from './chats.ts'
import type { OwnDevice } from './device/own-device.ts'
import type { PhoneDevice } from './device/phone-device.ts'
import { hasContent } from './display/content.ts'
import { newSecret } from './messages/additions.ts'
import { encodeMessage, type Proto } from './messages/compose.ts'

/** Writes messages as a phone does. */
export function createPhoneWriter(
  { wire, network, account }: OwnDevice,
  { outbox, queue }: Pick<PhoneDevice, 'outbox' | 'queue'>,
  { timers, judge, show }: PhoneChats,
): Pick<ActionParts, 'chatOf' | 'sendMessage'> {
  return {
    chatOf(to) {
      if (/@(g\.us|newsletter)$/.test(to)) return to
      const other = network.account(to)
      if (!other) throw gatewayError('NOT_ON_NETWORK', [to])
      return bare(to).endsWith('@s.whatsapp.net') ? other.jid : other.lid
    },
    sendMessage: async (chat, content, extras = {}) =>
      queue.run(async () => {
        await timers.load(chat).catch(() => undefined)
        const stamped = timers.stamp(chat, content)
        // Newsletter posts are not encrypted and have no secret.
        const raw = chat.endsWith('@newsletter') ? stamped : withSecret(wire, stamped)
        const id = await outbox.send(chat, raw, extras)
        const { envelope } = extras
        const sent = {
          id,
          chat,
          from: account.lid,
          fromMe: true,
          timestamp: seconds(),
          attrs: editAttribute(extras),
          raw,
          ...(envelope ? { envelope: encodeMessage(wire, envelope) } : {}),
        }
        show({ ...sent, ...(await judge(sent)) })
        return id
      }),
  }
}

/** Each message has its own secret, under which later additions to it are sealed. */
function withSecret(wire: GatewayServices['wire'], raw: Proto): Proto {
  if (raw.messageContextInfo?.messageSecret || !hasContent(raw)) return raw
  const messageContextInfo = { ...raw.messageContextInfo, messageSecret: newSecret() }
  return wire.proto.Message.fromObject({ ...raw, messageContextInfo })
}

/** The attribute `edit` of a stanza, if it has one. */
export function editAttribute({
  edit,
}: {
  edit?: string | undefined
}): { edit: string } | Record<string, never> {
  return edit ? { edit } : {}
}
