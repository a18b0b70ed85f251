import type { GroupMetadata, SignalKeyStore, WAMessage } from '@whiskeysockets/baileys'
import {
  createSerialQueue,
  type Events,
  type GatewaySignals,
  type RaiseOptions,
  type SignalOrigin,
  type Write,
} from 'wamux/plugin'
import { withAlt } from '../protocol/alt-jid.ts'
import type { Additions } from './additions.ts'
import type { LearntTimers } from './learnt-timers.ts'
import type { Rights } from './rights.ts'

type Name = 'message' | 'message.sent' | 'message.undecryptable'

export interface RaiserParts {
  keys: SignalKeyStore
  session: string
  events: Pick<Events, 'raise'>
  additions: Additions
  rights: Rights
  timers: LearntTimers
  /** An edit can't be opened, and its signal is committed. */
  onUnopened(message: WAMessage): void
}

/** Reason of an unreadable edit. */
const SECRET_UNKNOWN = 'SECRET_UNKNOWN: the secret of the message that it belongs to is not known here'

/**
 * Logs signals about messages in order, with both forms of the other side's JID if known, and in plain form if the message
 * was sealed under the secret of another one.
 */
export function messageRaiser({ keys, session, events, additions, rights, timers, onUnopened }: RaiserParts) {
  const queue = createSerialQueue()

  /** The promise is wrapped, so that the next message waits for this one's look-ups but not for its commit. */
  async function raise<N extends Name>(
    name: N,
    data: GatewaySignals[N] & { message: WAMessage },
    writes: readonly Write[],
    options: RaiseOptions | undefined,
    group: GroupMetadata | undefined,
  ): Promise<{ committed: Promise<unknown> }> {
    const message = await withAlt(keys, data.message)
    await timers.loadFor(message)
    const learnt = timers.ofMessage(message)
    // Before the message: after a crash between the two, the message is read again.
    const changed = learnt.change && events.raise(session, 'chat.timer', learnt.change)
    const { committed } = await raiseOpened(
      name,
      { ...data, message },
      [...writes, ...learnt.writes],
      options,
      group,
    )
    return { committed: Promise.all([changed, committed]) }
  }

  async function raiseOpened<N extends Name>(
    name: N,
    data: GatewaySignals[N] & { message: WAMessage },
    writes: readonly Write[],
    options: RaiseOptions | undefined,
    group: GroupMetadata | undefined,
  ): Promise<{ committed: Promise<unknown> }> {
    if (name === 'message.undecryptable')
      return { committed: events.raise(session, name, data, writes, options) }
    const {
      sealed,
      unopened,
      ended,
      isOfMembers = false,
      ...read
    } = await additions.read(data.message, name === 'message.sent')
    const all = [...read.writes, ...writes]
    if (unopened !== undefined) {
      const { message } = data
      const { attrs = {} } = data as Partial<GatewaySignals['message']>
      const details = { reason: SECRET_UNKNOWN, unavailable: undefined, onFailure: '', edits: unopened }
      const signal = { message, attrs, ...details }
      const committed = events.raise(session, 'message.undecryptable', signal, all, options)
      // A message resent by the phone has no stanza of its own.
      return { committed: committed.then(() => attrs['id'] && onUnopened(message)) }
    }
    const { message } = read
    const { attrs } = data as Partial<GatewaySignals['message']>
    const right = attrs && (await rights.of({ message, attrs }, group, isOfMembers))
    const signal = { ...data, message, ...(sealed ? { sealed } : {}), ...(right ? { right } : {}) }
    return { committed: events.raise(session, name, signal, all, options).finally(ended) }
  }

  return async <N extends Name>(
    name: N,
    data: GatewaySignals[N] & { message: WAMessage },
    writes: readonly Write[] = [],
    options?: RaiseOptions,
  ): Promise<void> => {
    const origin = () => originOfKey(data.message)
    const { message, attrs } = data as typeof data & Partial<GatewaySignals['message']>
    // Asked for before its turn: what is in the queue must not wait for the network. It may come behind later messages.
    const group =
      name === 'message' && attrs && rights.needsGroup({ message, attrs })
        ? await rights.groupOf({ message, attrs })
        : undefined
    const { committed } = await queue.run(() => raise(name, data, writes, { origin, ...options }, group))
    await committed
  }
}

function originOfKey({ key, messageTimestamp }: WAMessage): SignalOrigin {
  const { id, remoteJid, participant, fromMe } = key
  const time = new Date(Number(messageTimestamp) * 1000)
  return {
    id: id ?? '',
    chat: remoteJid ?? '',
    sender: participant || remoteJid || '',
    fromMe: fromMe === true,
    ...(Number.isNaN(time.getTime()) ? {} : { time: time.toISOString() }),
  }
}
