import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import { areJidsSameUser } from '../../baileys.ts'
import type { Receive, Stage } from '../stage.ts'

/**
 * Removes the other form of the sender's JID from copies of what another own device has written to somebody. Hosted devices name it
 * (zapo#241), others do not. Baileys takes it for that of the recipient, and stores the account's own number under the recipient's LID
 * (Utils/decode-wa-message.js extractAddressingContext, Socket/messages-recv.js handleMessage). The copy has the recipient's, too.
 */
export function dropOwnSenders(creds: AuthenticationCreds): Stage<Receive> {
  const isOwn = (jid: string | undefined): boolean =>
    areJidsSameUser(jid, creds.me?.id) || areJidsSameUser(jid, creds.me?.lid)

  return (next) =>
    (event, ...args) => {
      const stanza = args[0] as BinaryNode
      if (event !== 'CB:message' || !stanza.attrs['recipient'] || !isOwn(stanza.attrs['from']))
        return next(event, ...args)
      const { sender_pn: _number, sender_lid: _lid, ...attrs } = stanza.attrs
      return next(event, { ...stanza, attrs }, ...args.slice(1))
    }
}
