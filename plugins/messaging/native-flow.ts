import type { AnyMediaMessageContent, BinaryNode, proto } from '@whiskeysockets/baileys'
import type { LiveSession } from 'wamux/plugin'
import { Jid } from './jid.ts'

/** An interactive message ready for encryption. */
export type Interactive = proto.Message.IInteractiveMessage

/** A native-flow button: its kind (`quick_reply`, `cta_url` …) and parameters. */
export interface FlowButton {
  name: string
  params: Record<string, unknown>
}

/** The buttons that apps show, by the effect of a tap. */
export const flowButton = {
  reply: (display_text: string, id: string) => ({ name: 'quick_reply', params: { display_text, id } }),
  open: (display_text: string, url: string) => ({
    name: 'cta_url',
    params: { display_text, url, merchant_url: url },
  }),
  call: (display_text: string, phone_number: string) => ({
    name: 'cta_call',
    params: { display_text, phone_number },
  }),
  copy: (display_text: string, copy_code: string) => ({
    name: 'cta_copy',
    params: { display_text, copy_code },
  }),
  choose: (title: string, sections: readonly object[]) => ({
    name: 'single_select',
    params: { title, sections },
  }),
  sendLocation: () => ({ name: 'send_location', params: { display_text: 'Send location' } }),
} satisfies Record<string, (...given: never[]) => FlowButton>

/** The flow named in the stanza. */
export type Flow = 'mixed' | 'cta_url' | 'payment_info' | 'order_details'

/** The parts of a message with native-flow buttons. */
export interface InteractiveParts {
  title?: string | undefined
  subtitle?: string | undefined
  body: string
  footer?: string | undefined
  buttons: readonly FlowButton[]
  /** The header's file. */
  file?: AnyMediaMessageContent
}

/** One interactive message: header, text, footer, buttons. Uploads the header's file. */
export async function toInteractive(
  session: LiveSession,
  chat: string,
  parts: InteractiveParts,
): Promise<Interactive> {
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

/** The flow of one message: messages with only URL buttons and payments have their own flows; everything else is mixed. */
export function flowOf(buttons: readonly FlowButton[]): Flow {
  const names = new Set(buttons.map(({ name }) => name))
  const [first = ''] = names
  if (names.size > 1) return 'mixed'
  if (first === 'payment_info' || first === 'cta_url') return first
  return first === 'review_and_pay' ? 'order_details' : 'mixed'
}

/**
 * The stanza nodes that phones require to show an interactive message. `biz` names the flow: with a wrong name, or without
 * one, the message is accepted but never shown (tulir/whatsmeow#1235, vinikjkkj/zapo#228). For payments it has no children
 * (oxidezap/whatsapp-rust#628). `bot` is used only in chats with a person.
 */
export function flowNodes(chat: string, flow: Flow): BinaryNode[] {
  const attrs = {
    actual_actors: '2',
    host_storage: '2',
    privacy_mode_ts: String(Math.floor(Date.now() / 1000)),
  }
  const isPayment = flow === 'payment_info' || flow === 'order_details'
  const isPerson = Jid.isPerson(chat)
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
