import type { SignalKeyStore, WAMessage } from '@whiskeysockets/baileys'
import {
  createSerialQueue,
  type Events,
  type GatewaySignals,
  type RaiseOptions,
  type Write,
} from 'wamux/plugin'
import { withAlt } from '../protocol/alt-jid.ts'

type Name = 'message' | 'message.sent' | 'message.undecryptable'

/** Raises signals about messages, in order, each with both forms of the other side's JID if both are known. */
export function messageRaiser(keys: SignalKeyStore, session: string, events: Pick<Events, 'raise'>) {
  const queue = createSerialQueue()
  return async <N extends Name>(
    name: N,
    data: GatewaySignals[N] & { message: WAMessage },
    writes: readonly Write[] = [],
    options?: RaiseOptions,
  ): Promise<void> => {
    const { committed } = await queue.run(async () => {
      const message = await withAlt(keys, data.message)
      // Wrapped, so that the next message waits for this look-up but not for this commit.
      return { committed: events.raise(session, name, { ...data, message }, writes, options) }
    })
    await committed
  }
}
