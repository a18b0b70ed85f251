import { child, el, text, textNode } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Query } from '../iq/query.ts'
import { refusal } from '../refusal.ts'

const MAX_EMAIL = 320

/**
 * The e-mail address of an account (`urn:xmpp:whatsapp:account`), with which its owner can recover it. Format from zapo-js
 * client/coordinators/WaEmailCoordinator. No mail is sent, so no code can be requested.
 */
export const email: Query = (_state, { account }, iq) => {
  const request = child(iq, 'email')
  if (!request) throw refusal(403, 'forbidden')
  if (iq.attrs['type'] === 'set') {
    const address = text(child(request, 'email_address'))
    if (!address || address.length > MAX_EMAIL) throw refusal(406, 'not-acceptable')
    account.email = address
  }
  return [emailNode(account.email)]
}

function emailNode(address: string): Stanza {
  if (!address) return el('email')
  return el('email', { verified: 'false' }, [
    textNode('email_address', address),
    textNode('confirmed', 'false'),
  ])
}
