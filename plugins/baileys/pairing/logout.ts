import type { AuthenticationCreds, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { child } from 'wamux/messaging'
import { gatewayError } from 'wamux/plugin'
import { iq, queryOf } from '../protocol/query.ts'

/**
 * Unlinks this companion. The network replies, or first closes the link because the device was removed. Baileys' own logout
 * sends the same query but closes without waiting for the reply.
 */
export function logoutOf(wa: WASocket, creds: AuthenticationCreds) {
  return async (): Promise<void> => {
    if (!creds.me) throw gatewayError('NOT_LOGGED_IN')
    const removed = {
      tag: 'remove-companion-device',
      attrs: { jid: creds.me.id, reason: 'user_initiated' },
    }
    const answered = queryOf(wa)(iq('md', 'set', removed), 'log out')
    let onError = (_error: BinaryNode): void => undefined
    const gone = new Promise<void>((resolve) => {
      onError = (error) => {
        if (isRemoval(error)) resolve()
      }
    })
    wa.ws.on('CB:stream:error', onError)
    try {
      await Promise.race([answered, gone])
    } finally {
      wa.ws.off('CB:stream:error', onError)
      // It rejects when the link ends.
      answered.catch(() => undefined)
    }
  }
}

/** The codes of protocol/close-reason.ts that end a link for good. */
function isRemoval(error: BinaryNode): boolean {
  const { code = '' } = error.attrs
  return ['401', '516'].includes(code) || child(error, 'conflict')?.attrs['type'] === 'device_removed'
}
