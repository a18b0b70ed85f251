import type { AnyMediaMessageContent, BinaryNode } from '@whiskeysockets/baileys'
import { isPersonJid } from 'wamux/messaging'
import type { LiveSession } from 'wamux/plugin'
import type { Built } from './built.ts'
import type { Link, Parts } from './parts.ts'

/**
 * The message as native flow, with the stanza nodes without which it is accepted and never shown (tulir/whatsmeow#1235).
 * Not every app shows it.
 */
export function nativeOf(
  parts: Parts,
  session: LiveSession,
  chat: string,
  header: (() => Promise<AnyMediaMessageContent>) | undefined,
): Built {
  const buttons = buttonsOf(parts)
  const flow = buttons.every(({ name }) => name === 'cta_url') ? 'cta_url' : 'mixed'
  return {
    nodes: nodesFor(chat, flow),
    facts: { kind: parts.kind, choices: parts.choices },
    async content() {
      const uploaded = header ? await session.socket.upload(chat, await header()) : {}
      const { imageMessage, videoMessage, documentMessage } = uploaded
      return {
        proto: {
          interactiveMessage: {
            header: {
              title: parts.title ?? '',
              hasMediaAttachment: header !== undefined,
              ...(imageMessage ? { imageMessage } : {}),
              ...(videoMessage ? { videoMessage } : {}),
              ...(documentMessage ? { documentMessage } : {}),
            },
            body: { text: parts.body },
            ...(parts.footer ? { footer: { text: parts.footer } } : {}),
            nativeFlowMessage: {
              buttons: buttons.map(({ name, params }) => ({
                name,
                buttonParamsJson: JSON.stringify(params),
              })),
              messageParamsJson: '{}',
              messageVersion: 1,
            },
          },
        },
      }
    },
  }
}

interface FlowButton {
  name: string
  params: Record<string, unknown>
}

function buttonsOf({ kind, choices, links, opener = '', isLocationRequest }: Parts): FlowButton[] {
  if (isLocationRequest) return [{ name: 'send_location', params: { display_text: 'Send location' } }]
  if (kind === 'list') {
    const rows = choices.map(({ id, title, description = '' }) => ({ id, title, description }))
    return [{ name: 'single_select', params: { title: opener, sections: [{ title: '', rows }] } }]
  }
  const replies = choices.map(({ id, title }) => ({
    name: 'quick_reply',
    params: { display_text: title, id },
  }))
  return [...replies, ...links.map(linkButton)]
}

function linkButton({ kind, label, target }: Link): FlowButton {
  const display_text = label
  if (kind === 'call') return { name: 'cta_call', params: { display_text, phone_number: target } }
  if (kind === 'copy') return { name: 'cta_copy', params: { display_text, copy_code: target } }
  return { name: 'cta_url', params: { display_text, url: target, merchant_url: target } }
}

function nodesFor(chat: string, name: string): BinaryNode[] {
  const attrs = {
    actual_actors: '2',
    host_storage: '2',
    privacy_mode_ts: String(Math.floor(Date.now() / 1000)),
  }
  const flow = { tag: 'native_flow', attrs: { v: '9', name } }
  const content = [
    { tag: 'interactive', attrs: { type: 'native_flow', v: '1' }, content: [flow] },
    { tag: 'quality_control', attrs: { source_type: 'third_party' } },
  ]
  const bot = isPersonJid(chat) ? [{ tag: 'bot', attrs: { biz_bot: '1' } }] : []
  return [{ tag: 'biz', attrs, content }, ...bot]
}
