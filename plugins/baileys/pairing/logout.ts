import type { AuthenticationCreds, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { iq, queryOf } from '../protocol/query.ts'

/** Unlinks this companion. Baileys' own logout sends the same query and closes without waiting for the reply. */
export function logoutOf(wa: WASocket, creds: AuthenticationCreds) {
  return async (): Promise<void> => {
    if (!creds.me) throw gatewayError('NOT_LOGGED_IN')
    const removed = {
      tag: 'remove-companion-device',
      attrs: { jid: creds.me.id, reason: 'user_initiated' },
    }
    await queryOf(wa)(iq('md', 'set', removed), 'log out')
  }
}
