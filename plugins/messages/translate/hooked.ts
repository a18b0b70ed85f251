import type { Annotations, MessageHookChain } from 'wamux/messaging'
import type { GatewaySignals, Recording } from 'wamux/plugin'

/** The record of an incoming message after the plugins' hooks; own messages have no hooks. */
export async function hookedIncoming(
  chain: MessageHookChain,
  session: string,
  { message, right }: GatewaySignals['message'],
  recording: Recording,
): Promise<Recording> {
  const { remoteJid, participant, fromMe, id } = message.key
  if (fromMe) return recording
  const chat = remoteJid ?? ''
  const incoming = {
    session,
    chat,
    sender: participant ?? chat,
    id: id ?? '',
    message,
    isRefused: right === 'none',
  }
  const { annotations, isDropped } = await chain.onIncoming(incoming)
  // Rows stored with the event, for example a poll key, are needed for later messages.
  return isDropped ? { ...recording, events: [] } : annotated(recording, annotations)
}

export async function hookedSent(
  chain: MessageHookChain,
  session: string,
  { message, annotations = {} }: GatewaySignals['message.sent'],
  recording: Recording,
): Promise<Recording> {
  const { remoteJid, id } = message.key
  const outcome = {
    session,
    chat: remoteJid ?? '',
    id: id ?? '',
    state: 'sent' as const,
    code: '',
    annotations,
  }
  return annotated(recording, await chain.afterSend(outcome))
}

export async function hookedFailed(
  chain: MessageHookChain,
  session: string,
  { id, chat, code, outcome, annotations = {} }: GatewaySignals['message.failed'],
  recording: Recording,
): Promise<Recording> {
  return annotated(recording, await chain.afterSend({ session, chat, id, state: outcome, code, annotations }))
}

function annotated(recording: Recording, annotations: Annotations | undefined): Recording {
  if (!annotations) return recording
  const { events = [] } = recording
  return { ...recording, events: events.map((event) => ({ ...event, body: { ...event.body, annotations } })) }
}
