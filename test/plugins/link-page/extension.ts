import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/databases.ts'
import { SIGN } from './authenticator.ts'

/** A browser extension in a folder, with the messages of the one that WAHA publishes. */
export interface Extension {
  readonly folder: string
  readonly id: string
}

/** Signs in a tab of web.whatsapp.com that is open. */
const WORKER = `chrome.runtime.onMessageExternal.addListener((message, sender, respond) => {
  if (message.type === 'waha-passkey-ping') respond({ ok: true })
  if (message.type !== 'waha-passkey-sign') return false
  sign(message.challenge).then(
    (assertion) => respond({ ok: true, assertion }),
    (error) => respond({ ok: false, error: error.message }),
  )
  return true
})
async function sign(challenge) {
  const [{ id: tabId }] = await chrome.tabs.query({ url: 'https://web.whatsapp.com/*' })
  await chrome.tabs.update(tabId, { active: true })
  const func = ${SIGN}
  const call = { target: { tabId }, world: 'MAIN', func, args: [challenge] }
  const [{ result }] = await chrome.scripting.executeScript(call)
  return result
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
    permissions: ['scripting', 'tabs'],
    host_permissions: ['https://web.whatsapp.com/*'],
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
