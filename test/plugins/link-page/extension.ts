import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/databases.ts'

/** A browser extension in a folder, with the messages of the one that WAHA publishes. */
export interface Extension {
  readonly folder: string
  readonly id: string
}

const WORKER = `chrome.runtime.onMessageExternal.addListener((message, sender, respond) => {
  if (message.type === 'waha-passkey-ping') respond({ ok: true })
  if (message.type === 'waha-passkey-sign') respond(sign(message.challenge))
})
function sign(challenge) {
  if (challenge.rpId !== 'whatsapp.com') return { ok: false, error: 'the person has refused' }
  const response = { clientDataJSON: challenge.challenge, authenticatorData: 'AA', signature: 'AA' }
  return { ok: true, assertion: { id: 'AQ', rawId: 'AQ', type: 'public-key', response } }
}
`

export function makeExtension(): Extension {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const folder = join(temporaryFolder(), 'extension')
  mkdirSync(folder)
  const manifest = {
    manifest_version: 3,
    name: 'Signs',
    version: '1.0',
    key: key.toString('base64'),
    background: { service_worker: 'worker.js' },
    externally_connectable: { matches: ['http://127.0.0.1/*'] },
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'worker.js'), WORKER)
  return { folder, id: idOf(key) }
}

/** As Chromium derives ids from keys: the first 32 hex digits of the hash, with the letters a to p. */
function idOf(key: Buffer): string {
  const hex = createHash('sha256').update(key).digest('hex').slice(0, 32)
  return [...hex].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join('')
}
