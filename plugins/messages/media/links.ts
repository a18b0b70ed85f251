import { type Events, gatewayError, isSameSecret, type LogEvent, type Vault } from 'wamux/plugin'
import type { MessagesConfig } from '../config.ts'

/**
 * Signed links to files of logged messages: they need no token and expire, at the latest with their session, whose key
 * signs them.
 */
export interface FileLinks {
  make(line: Pick<LogEvent, 'seq' | 'session'>): string
  /** The event of a link. Rejects LINK_INVALID. */
  follow(seq: string, query: URLSearchParams): Promise<LogEvent>
}

interface Deps {
  vault: Vault
  events: Events
  config: MessagesConfig
}

const HOUR_MS = 3_600_000

export function createLinks({ vault, events, config }: Deps): FileLinks {
  const sign = ({ seq, session }: Pick<LogEvent, 'seq' | 'session'>, expires: number): string =>
    vault.index(session, 'messages/link', `${seq}.${expires}`)

  return {
    make(line) {
      const expires = Date.now() + Math.round(config.linkHours * HOUR_MS)
      return `${config.publicUrl.replace(/\/$/, '')}/media/${line.seq}?expires=${expires}&signature=${sign(line, expires)}`
    },
    async follow(text, query) {
      const seq = Number(text)
      const expires = Number(query.get('expires'))
      if (!Number.isSafeInteger(seq) || !(expires > Date.now())) throw gatewayError('LINK_INVALID')
      const [event] = await events.lines([seq])
      if (!event || !isSameSecret(query.get('signature') ?? '', sign(event, expires)))
        throw gatewayError('LINK_INVALID')
      return event
    },
  }
}
