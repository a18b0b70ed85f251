import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'

/** The certificate of a business's verified name, of which clients read only the details. */
export function verifiedNameNode({ wire }: NetworkState, account: AccountState): Stanza {
  const { VerifiedNameCertificate } = wire.proto
  const details = VerifiedNameCertificate.Details.encode({
    serial: 1,
    issuer: 'smb:wa',
    verifiedName: account.name,
  }).finish()
  const certificate = VerifiedNameCertificate.encode({ details, signature: Buffer.alloc(64) }).finish()
  return el('verified_name', { v: 1 }, Buffer.from(certificate))
}
