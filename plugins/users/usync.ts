import { randomUUID } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children } from 'wamux/messaging'
import type { GatewayServices, Socket } from 'wamux/plugin'

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

/** Queries the network for users. Results are in the network's order, and some may be missing. */
export async function usync(
  socket: Socket,
  protocols: BinaryNode[],
  users: BinaryNode[],
  verb: string,
): Promise<BinaryNode[]> {
  const attrs = { sid: randomUUID(), mode: 'query', context: 'interactive', last: 'true', index: '0' }
  const query = { tag: 'query', attrs: {}, content: protocols }
  const list = { tag: 'list', attrs: {}, content: users }
  const reply = await socket.query(
    {
      tag: 'iq',
      attrs: { xmlns: 'usync', type: 'get', to: 's.whatsapp.net' },
      content: [{ tag: 'usync', attrs, content: [query, list] }],
    },
    verb,
  )
  return children(child(child(reply, 'usync'), 'list'), 'user')
}

/** The verified name of a business, from its certificate; '' for people. */
export function verifiedName({ proto }: GatewayServices['wire'], user: BinaryNode | undefined): string {
  const certificate = child(child(user, 'business'), 'verified_name')?.content
  if (!(certificate instanceof Uint8Array)) return ''
  const { details } = proto.VerifiedNameCertificate.decode(certificate)
  return proto.VerifiedNameCertificate.Details.decode(details ?? new Uint8Array()).verifiedName ?? ''
}
