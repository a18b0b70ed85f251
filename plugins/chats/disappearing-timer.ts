import type { proto } from '@whiskeysockets/baileys'
import { ask, DISAPPEARING_TIMERS, Jid } from 'wamux/messaging'
import { type GatewayServices, gatewayError } from 'wamux/plugin'

const SECONDS = new Map<string, number>(Object.entries(DISAPPEARING_TIMERS))

export const TIMERS = [...SECONDS.keys()]

export function secondsOf(timer: string): number {
  const seconds = SECONDS.get(timer)
  if (seconds === undefined) throw gatewayError('TIMER_INVALID')
  return seconds
}

/** `Message.ProtocolMessage.Type.EPHEMERAL_SETTING` */
const SETTING: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING = 3

/**
 * Baileys' own message (`disappearingMessagesInChat`) lacks the time by which the other side orders settings, and is wrapped
 * as only old clients do (Utils/messages.js prepareDisappearingMessageSettingContent).
 */
function settingOf(seconds: number, time: number): proto.Message.IProtocolMessage {
  return {
    type: SETTING,
    ephemeralExpiration: seconds,
    ephemeralSettingTimestamp: time,
    disappearingMode: { initiator: 0, trigger: 0 },
  }
}

type SendRequest = Parameters<GatewayServices['sender']['send']>[1]
type Parts = Pick<SendRequest, 'session' | 'viewer' | 'header' | 'traceparent'> &
  Pick<GatewayServices, 'sender' | 'targets'>

/** In a group the timer is a setting of the group; in a 1:1 chat it is sent as a message. */
export async function setTimer(
  { sender, targets, ...request }: Parts,
  phone: string,
  seconds: number,
): Promise<void> {
  const { session } = request
  const chat = await targets.resolveChat(session, phone, 'phone')
  if (!Jid.isGroup(chat)) {
    const body = { Phone: targets.toUser(chat), Timer: seconds }
    await sender.send('/chat/disappearing-timer', { ...request, body }, () => ({
      proto: { protocolMessage: settingOf(seconds, Math.floor(Date.now() / 1000)) },
    }))
    return
  }
  const change =
    seconds > 0
      ? { tag: 'ephemeral', attrs: { expiration: String(seconds) } }
      : { tag: 'not_ephemeral', attrs: {} }
  await ask(session.socket, { xmlns: 'w:g2', type: 'set', to: chat, content: change, verb: 'set the timer' })
}
