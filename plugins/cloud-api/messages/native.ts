import type { AnyMediaMessageContent } from '@whiskeysockets/baileys'
import { type FlowButton, flowButton, flowNodes, flowOf, toInteractive } from 'wamux/messaging'
import type { LiveSession } from 'wamux/plugin'
import type { BuiltPart, LinkButton, Parts } from './parts.ts'

/** The message as native flow. Not every app shows it. */
export function nativeOf(
  { title, body, footer, ...parts }: Parts,
  session: LiveSession,
  chat: string,
  header: (() => Promise<AnyMediaMessageContent>) | undefined,
): BuiltPart {
  const buttons = buttonsOf(parts)
  return {
    nodes: flowNodes(chat, flowOf(buttons)),
    facts: { kind: parts.kind, choices: parts.choices },
    async content() {
      const text = { title, body, footer, buttons }
      const interactive = header ? { ...text, file: await header() } : text
      return { proto: { interactiveMessage: await toInteractive(session, chat, interactive) } }
    },
  }
}

function buttonsOf({
  kind,
  choices,
  links,
  opener = '',
  isLocationRequest,
}: Omit<Parts, 'body'>): FlowButton[] {
  if (isLocationRequest) return [flowButton.sendLocation()]
  if (kind === 'list') {
    const rows = choices.map(({ id, title, description = '' }) => ({ id, title, description }))
    return [flowButton.choose(opener, [{ title: '', rows }])]
  }
  return [...choices.map(({ id, title }) => flowButton.reply(title, id)), ...links.map(linkButton)]
}

function linkButton({ kind, label, target }: LinkButton): FlowButton {
  if (kind === 'call') return flowButton.call(label, target)
  if (kind === 'copy') return flowButton.copy(label, target)
  return flowButton.open(label, target)
}
