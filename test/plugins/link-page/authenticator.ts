import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { Customer } from './browser.ts'

/** Runs on a page of web.whatsapp.com: a function that answers a challenge as extensions do. */
export const SIGN = `async (challenge) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(challenge)
  return (await navigator.credentials.get({ publicKey })).toJSON()
}`

const ADDRESS = 'https://web.whatsapp.com/'
const BODY = '<!doctype html><title>WhatsApp</title><link rel="icon" href="data:,">'

/**
 * A tab with the origin of WhatsApp, answered by the test, and an authenticator in it that holds a passkey of the phone's
 * account.
 */
export async function openWhatsApp({ context }: Customer, phone: Phone): Promise<Page> {
  const page = await context.newPage()
  await page.route(`${ADDRESS}**`, (route) => route.fulfill({ contentType: 'text/html', body: BODY }))
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  await devtools.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      credentialId: id.toString('base64'),
      privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
      rpId: 'whatsapp.com',
      userHandle: randomBytes(16).toString('base64'),
      isResidentCredential: true,
      signCount: 0,
    },
  })
  phone.passkey.register(id.toString('base64url'), publicKey.export({ type: 'spki', format: 'der' }))
  await page.goto(ADDRESS)
  return page
}
