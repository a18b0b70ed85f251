import { isGatewayError, type Session, type Sessions } from 'wamux/plugin'

/** Starts and ends the linking of a session. */
export interface Attempts {
  /** Opens a link to the network unless one is open. */
  start(session: Session): Promise<void>
  /** Ends an attempt that nobody has accepted yet: its codes become unusable. */
  end(session: Session): Promise<void>
}

const UNDER_WAY: readonly string[] = ['scan', 'code', 'passkey', 'passkey-confirm']

export function createAttempts({ sessions }: { sessions: Sessions }): Attempts {
  return {
    async start({ id, state }) {
      if (state !== 'open') await sessions.connect(id, { wait: false })
    },
    async end({ id, jid, state }) {
      if (jid || !UNDER_WAY.includes(state)) return
      await sessions.disconnect(id).catch((error: unknown) => {
        // Another request has ended it.
        if (!isGatewayError(error) || error.code !== 'NO_CLIENT') throw error
      })
    },
  }
}
