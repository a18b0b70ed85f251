import type { AnyMediaMessageContent, BinaryNode, proto } from '@whiskeysockets/baileys'
import { isPersonJid } from 'wamux/messaging'
import type { GatewayServices, LiveSession } from 'wamux/plugin'

export type Interactive = proto.Message.IInteractiveMessage

export interface FlowButton {
  name: string
  params: Record<string, unknown>
}

/** The flow that the stanza names to the network. */
export type Flow = 'mixed' | 'cta_url' | 'payment_info' | 'order_details'

export interface Parts {
  title?: string | undefined
  subtitle?: string | undefined
  body: string
  footer?: string | undefined
  buttons: readonly FlowButton[]
  /** The header's file. */
  file?: AnyMediaMessageContent
}

type Request = Parameters<GatewayServices['sender']['send']>[1] & { body: { Phone: string } }

type Services = Pick<GatewayServices, 'sender' | 'targets'>

/** Sends an interactive message with the stanza nodes that phones require to show it. */
export async function sendInteractive(
  { sender, targets }: Services,
  path: string,
  request: Request,
  flow: Flow,
  make: (chat: string) => Promise<Interactive> | Interactive,
) {
  const chat = await targets.resolveChat(request.session, request.body.Phone)
  const content = async () => ({ proto: { interactiveMessage: await make(chat) } })
  return sender.send(path, request, content, { chat, nodes: nodesFor(chat, flow) })
}

/** One interactive message: header, text, footer, buttons. */
export async function toInteractive(session: LiveSession, chat: string, parts: Parts): Promise<Interactive> {
  const { title = '', subtitle, body, footer, buttons, file } = parts
  const uploaded = file ? await session.socket.upload(chat, file) : {}
  const { imageMessage, videoMessage, documentMessage } = uploaded
  return {
    header: {
      title,
      ...(subtitle ? { subtitle } : {}),
      hasMediaAttachment: file !== undefined,
      ...(imageMessage ? { imageMessage } : {}),
      ...(videoMessage ? { videoMessage } : {}),
      ...(documentMessage ? { documentMessage } : {}),
    },
    body: { text: body },
    ...(footer ? { footer: { text: footer } } : {}),
    nativeFlowMessage: {
      buttons: buttons.map(({ name, params }) => ({ name, buttonParamsJson: JSON.stringify(params) })),
      messageParamsJson: '{}',
      messageVersion: 1,
    },
  }
}

/** The flow of one message: URL buttons alone and payments have flows of their own; everything else is mixed. */
export function flowOf(buttons: readonly FlowButton[]): Flow {
  const names = new Set(buttons.map(({ name }) => name))
  const [first = ''] = names
  if (names.size > 1) return 'mixed'
  if (first === 'payment_info' || first === 'cta_url') return first
  return first === 'review_and_pay' ? 'order_details' : 'mixed'
}

/**
 * `biz` names the flow: with a wrong name, or without one, the message is accepted but never shown
 * (tulir/whatsmeow#1235, vinikjkkj/zapo#228). That of payments has no children (oxidezap/whatsapp-rust#628).
 * `bot` is used in chats with a person only.
 */
function nodesFor(chat: string, flow: Flow): BinaryNode[] {
  const attrs = {
    actual_actors: '2',
    host_storage: '2',
    privacy_mode_ts: String(Math.floor(Date.now() / 1000)),
  }
  const isPayment = flow === 'payment_info' || flow === 'order_details'
  const isPerson = isPersonJid(chat)
  return [
    isPayment
      ? { tag: 'biz', attrs: { ...attrs, native_flow_name: flow } }
      : { tag: 'biz', attrs, content: childrenOf(flow) },
    ...(isPerson ? [{ tag: 'bot', attrs: { biz_bot: '1' } }] : []),
  ]
}

function childrenOf(name: Flow): BinaryNode[] {
  const flow = { tag: 'native_flow', attrs: { v: '9', name } }
  return [
    { tag: 'interactive', attrs: { type: 'native_flow', v: '1' }, content: [flow] },
    { tag: 'quality_control', attrs: { source_type: 'third_party' } },
  ]
}
