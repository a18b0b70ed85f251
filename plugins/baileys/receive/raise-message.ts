import type { SignalKeyStore, WAMessage } from '@whiskeysockets/baileys'
import type { Events, GatewaySignals, Write } from 'wamux/plugin'
import { withAlt } from '../protocol/alt-jid.ts'

type Name = 'message' | 'message.sent' | 'message.undecryptable'

/** Raises signals about messages, in order, each with both forms of the other side's JID where they are known. */
export function messageRaiser(keys: SignalKeyStore, session: string, events: Pick<Events, 'raise'>) {
  /** Looking up the other form may take a read; the next message must not overtake it. */
  let before: Promise<unknown> = Promise.resolve()
  return async <N extends Name>(
    name: N,
    data: GatewaySignals[N] & { message: WAMessage },
    writes: readonly Write[] = [],
  ): Promise<void> => {
    const raised = before
      .then(() => withAlt(keys, data.message))
      .then((message) => ({ committed: events.raise(session, name, { ...data, message }, writes) }))
    before = raised.catch(() => undefined)
    await (await raised).committed
  }
}
