import type { BinaryNode } from '@whiskeysockets/baileys'
import { child } from 'wamux/messaging'
import type { GatewayServices } from 'wamux/plugin'

const element = (tag: string, attrs: Record<string, string> = {}): BinaryNode => ({ tag, attrs })

/** The protocols that can be queried for users. */
export const PROTOCOLS = {
  contact: element('contact'),
  devices: element('devices', { version: '2' }),
  status: element('status'),
  picture: element('picture'),
  lid: element('lid'),
  username: element('username'),
  business: { ...element('business'), content: [element('verified_name')] },
}

/** The verified name of a business, from its certificate; '' for people. */
export function verifiedName({ proto }: GatewayServices['wire'], user: BinaryNode | undefined): string {
  const certificate = child(child(user, 'business'), 'verified_name')?.content
  if (!(certificate instanceof Uint8Array)) return ''
  const { details } = proto.VerifiedNameCertificate.decode(certificate)
  return proto.VerifiedNameCertificate.Details.decode(details ?? new Uint8Array()).verifiedName ?? ''
}
