import type { Vault } from 'wamux/plugin'

/** What a message is found by, since its id is not stored readable. */
export function idIndex(vault: Vault, session: string, id: string): string {
  return vault.index(session, 'chat_log_messages/target', id)
}
