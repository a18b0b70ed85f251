import type { AuthenticationCreds, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { queryOf } from '../protocol/query.ts'

/** Unlinks this companion. Baileys' own logout sends the same and hangs up without waiting for the answer. */
export function logoutOf(wa: WASocket, creds: AuthenticationCreds) {
  return async (): Promise<void> => {
    if (!creds.me) throw gatewayError('NOT_LOGGED_IN')
    const removed = {
      tag: 'remove-companion-device',
      attrs: { jid: creds.me.id, reason: 'user_initiated' },
    }
    const iq = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'md' }, content: [removed] }
    await queryOf(wa)(iq, 'log out')
  }
}
