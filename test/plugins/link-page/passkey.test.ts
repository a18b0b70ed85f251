import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { expect } from 'chai'
import { type Browser, chromium, type Page } from 'playwright-core'
import { temporaryFolder } from '../../support/databases.ts'
import { startWorld, type World } from '../../support/world.ts'
import {
  ARGS,
  begin,
  CHROMIUM,
  type Customer,
  customerOf,
  hasBrowser,
  openBrowser,
  openCustomer,
  photograph,
  picture,
  says,
  shown,
} from './browser.ts'
import { makeExtension } from './extension.ts'
import { createPasskeyHalf } from './passkey-half.ts'
import { makeLink } from './support.ts'

/** As the network sends them. */
const CHALLENGE = {
  challenge: 'c29tZS1jaGFsbGVuZ2UtdGhhdC1pcy0zMi1ieXRlcw',
  timeout: 600_000,
  rpId: 'whatsapp.com',
  allowCredentials: [{ id: 'AQIDBAUGBwg', type: 'public-key', transports: ['internal', 'hybrid'] }],
  userVerification: 'required',
  extensions: { uvm: true },
}
const SIGNED = { id: 'AQ', rawId: 'AQ', type: 'public-key' }

/** What an extension for Firefox does in each page. */
const BRIDGE = `addEventListener('message', ({ data, source }) => {
  if (source !== window || data?.source !== 'waha-passkey-page') return
  const { requestId, type, challenge } = data
  const response = { clientDataJSON: challenge?.challenge, authenticatorData: 'AA', signature: 'AA' }
  const answer = type === 'waha-passkey-ping' ? {} : { assertion: { ...${JSON.stringify(SIGNED)}, response } }
  postMessage({ source: 'waha-passkey-extension', requestId, ok: true, ...answer }, location.origin)
})`

describe('the passkey on the link page', function () {
  this.timeout(120_000)
  let world: World
  let browser: Browser
  const half = createPasskeyHalf()
  const extension = makeExtension()
  const customers: Customer[] = []
  before(async function () {
    if (!hasBrowser()) return this.skip()
    world = await startWorld({
      extra: [half.plugin],
      config: { 'link-page': { extensionId: extension.id } },
    })
    browser = await openBrowser()
    return undefined
  })
  beforeEach(() => {
    world.fault({ Fault: 'passkey' })
    half.calls.length = 0
    half.state = { State: 'challenge', Challenge: CHALLENGE }
    half.after = {
      submit: { State: 'confirm', Code: 'K7P2-9XQR' },
      confirm: { State: 'confirmed' },
    }
  })
  after(async () => {
    await browser?.close()
    await world?.stop()
  })
  afterEach(async () => {
    const complaints = customers.flatMap((customer) => customer.complaints)
    for (const { context } of customers.splice(0)) await context.close()
    expect(complaints, 'errors in the browser').to.deep.equal([])
  })

  const arrive = async (customer: Customer): Promise<Page> => {
    customers.push(customer)
    const { page } = customer
    await begin(customer, (await makeLink(world)).url)
    await shown(page, '#qr')
    const phone = await world.phone('Keyed')
    const refused = await phone.scan(await photograph(page)).catch((error: Error) => error.message)
    expect(refused).to.include('passkey')
    await shown(page, '#part-passkey')
    expect(await page.locator('#qr').getAttribute('src')).to.equal(null)
    return page
  }
  const finish = async (page: Page): Promise<void> => {
    await shown(page, '#passkey-confirm')
    expect(await page.locator('#confirm-code').innerText()).to.equal('K7P2-9XQR')
    expect(await page.evaluate('document.activeElement.id')).to.equal('confirm-heading')
    await page.getByRole('button', { name: 'The codes are the same' }).click()
    await says(page, 'Thank you. Finishing …')
    expect(half.calls.map(({ name }) => name)).to.deep.equal(['submit', 'confirm'])
  }

  it('is signed by an extension of Chrome, with the challenge as it came', async () => {
    const context = await chromium.launchPersistentContext(temporaryFolder(), {
      executablePath: CHROMIUM,
      locale: 'en-GB',
      ignoreDefaultArgs: ['--disable-extensions'],
      args: [
        ...ARGS,
        '--headless=new',
        `--disable-extensions-except=${extension.folder}`,
        `--load-extension=${extension.folder}`,
      ],
    })
    const page = await arrive(await customerOf(context))
    await shown(page, '#with-extension')
    expect(await page.locator('#without-extension').isVisible()).to.equal(false)
    await picture(page, 'passkey-extension')
    await page.getByRole('button', { name: 'Confirm with passkey' }).click()
    await shown(page, '#passkey-confirm')
    const response = { clientDataJSON: CHALLENGE.challenge, authenticatorData: 'AA', signature: 'AA' }
    expect(half.calls[0]?.credential).to.deep.equal({ ...SIGNED, response })
    await picture(page, 'passkey-confirm')
    await finish(page)
  })

  it('is signed by an extension that answers messages to the window, as in Firefox', async () => {
    const customer = await openCustomer(browser)
    await customer.page.addInitScript({ content: BRIDGE })
    const page = await arrive(customer)
    await page.getByRole('button', { name: 'Confirm with passkey' }).click()
    await finish(page)
    expect(half.calls[0]?.credential).to.include(SIGNED)
  })

  it('is signed by the script in the console of web.whatsapp.com, and its result is pasted', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const customer = await openCustomer(browser)
    const page = await arrive(customer)
    const { context } = customer
    const whatsapp = await openWhatsApp(
      customer,
      privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    )
    await shown(page, '#without-extension')
    await page.getByText('Without an extension').click()
    await picture(page, 'passkey-manual')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.bringToFront()
    await page.getByRole('button', { name: 'Copy script' }).click()
    await says(page, 'Copied')
    const script = (await page.evaluate('navigator.clipboard.readText()')) as string
    await whatsapp.bringToFront()
    await whatsapp.evaluate(script)
    await whatsapp.getByRole('button', { name: 'Confirm with passkey' }).click()
    await shown(whatsapp, 'text=Done. The result is copied')
    const result = (await whatsapp.evaluate('navigator.clipboard.readText()')) as string

    await page.bringToFront()
    await page.getByLabel('Result').fill('not JSON')
    await page.getByRole('button', { name: 'Send result' }).click()
    await shown(page, 'text=This is not the result')
    expect(half.calls).to.deep.equal([])
    await page.getByLabel('Result').fill(result)
    await page.getByRole('button', { name: 'Send result' }).click()
    await finish(page)
    const sent = half.calls[0]?.credential
    expect(sent).to.deep.equal(JSON.parse(result))
    expect(isSigned(sent as Credential, publicKey.export({ type: 'spki', format: 'pem' }))).to.equal(true)
  })

  it('is refused when the codes differ, or the network says so, and can begin again', async () => {
    const customer = await openCustomer(browser)
    await customer.page.addInitScript({ content: BRIDGE })
    const page = await arrive(customer)
    await page.getByRole('button', { name: 'Confirm with passkey' }).click()
    await page.getByRole('button', { name: 'They differ' }).click()
    await shown(page, 'text=Linking was stopped')
    expect(half.calls.map(({ name }) => name)).to.deep.equal(['submit'])

    half.state = { State: 'failed', Reason: 'refused' }
    await page.getByRole('button', { name: 'Try again' }).click()
    await shown(page, '#qr')
    const phone = await world.phone('Keyed again')
    await phone.scan(await photograph(page)).catch(() => undefined)
    await shown(page, 'text=The passkey was not accepted')
    await picture(page, 'passkey-failed')
    world.fault({ Fault: 'clear' })
    await page.getByRole('button', { name: 'Try again' }).click()
    await shown(page, '#qr')
    await phone.scan(await photograph(page))
    await shown(page, '#part-result.good')
  })

  it('waits for the phone after it was signed', async () => {
    half.after = { submit: { State: 'submitted' } }
    const customer = await openCustomer(browser)
    await customer.page.addInitScript({ content: BRIDGE })
    const page = await arrive(customer)
    await page.getByRole('button', { name: 'Confirm with passkey' }).click()
    await says(page, /^Passkey confirmed\. Waiting for the phone/)
    await picture(page, 'passkey-sent')
  })
})

interface Credential {
  response: { clientDataJSON: string; authenticatorData: string; signature: string }
}

/** A tab with the origin of WhatsApp and an authenticator that holds the account's passkey. No request leaves the machine. */
async function openWhatsApp({ context, complaints }: Customer, privateKey: string): Promise<Page> {
  const page = await context.newPage()
  await page.route('https://web.whatsapp.com/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>WhatsApp</title>' }),
  )
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
  const credentialId = Buffer.from(CHALLENGE.allowCredentials[0]?.id ?? '', 'base64url').toString('base64')
  const credential = { credentialId, privateKey, rpId: 'whatsapp.com', userHandle: 'AQ==' }
  await devtools.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: { ...credential, isResidentCredential: true, signCount: 0 },
  })
  await page.goto('https://web.whatsapp.com/')
  expect(complaints).to.deep.equal([])
  return page
}

/** Checks the assertion as WhatsApp does: challenge, origin and signature. */
function isSigned({ response }: Credential, publicKey: string | Buffer): boolean {
  const clientData = Buffer.from(response.clientDataJSON, 'base64url')
  const { challenge, origin, type } = JSON.parse(clientData.toString())
  expect({ challenge, origin, type }).to.deep.equal({
    challenge: CHALLENGE.challenge,
    origin: 'https://web.whatsapp.com',
    type: 'webauthn.get',
  })
  const hash = createHash('sha256').update(clientData).digest()
  const signed = Buffer.concat([Buffer.from(response.authenticatorData, 'base64url'), hash])
  const signature = Buffer.from(response.signature, 'base64url')
  return verify('sha256', signed, createPublicKey(publicKey), signature)
}
