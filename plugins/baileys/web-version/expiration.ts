import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { child } from 'wamux/messaging'
import type { Version } from './revision.ts'
import type { WebVersions } from './web-versions.ts'

/** Reports WhatsApp's announcement that the version of this link will end. */
export function watchExpiration(
  { ws }: Pick<WASocket, 'ws'>,
  version: Version,
  webVersions: Pick<WebVersions, 'announced'>,
): void {
  ws.on('CB:ib,,client_expiration', (stanza: BinaryNode) => {
    void webVersions.announced(version, expirationOf(stanza))
  })
}

/** Milliseconds since 1970; 0 if the notice has no time, which withdraws an earlier one. */
function expirationOf(stanza: BinaryNode): number {
  const seconds = Number(child(stanza, 'client_expiration')?.attrs['t'] ?? 0)
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1000 : 0
}
