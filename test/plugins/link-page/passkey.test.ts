import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { hasBrowser, launchProfile } from '../../support/browser.ts'
import { whole } from '../../support/run/whole.ts'
import { startWorld, type World } from '../../support/world.ts'
import { openWhatsApp, SIGN } from './authenticator.ts'
import {
  begin,
  type Customer,
  customerOf,
  openBrowser,
  openCustomer,
  photograph,
  picture,
  says,
  shown,
} from './browser.ts'
import { makeExtension } from './extension.ts'
import { makeLink } from './support.ts'

/** What an extension for Firefox does in each page. @param answer the assertion, as an expression */
const bridge = (answer: string): string => `addEventListener('message', async ({ data, source }) => {
  if (source !== window || data?.source !== 'waha-passkey-page') return
  const { requestId, type, challenge } = data
  const answer = type === 'waha-passkey-ping' ? {} : { assertion: await (${answer}) }
  postMessage({ source: 'waha-passkey-extension', requestId, ok: true, ...answer }, location.origin)
})`

interface Arrival {
  /** The link page, on which the passkey is asked for. */
  readonly page: Page
  readonly whatsapp: Page
  readonly phone: Phone
  /** Resolves when the phone has linked. */
  readonly linked: Promise<string>
}

describe('the passkey on the link page', () => {
  let world: World
  let browser: Browser
  const extension = makeExtension()
  const customers: Customer[] = []
  before(async function () {
    if (!hasBrowser()) return this.skip()
    world = await startWorld({ config: { 'link-page': { extensionId: extension.id } } })
    browser = await openBrowser()
    return undefined
  })
  beforeEach(() => {
    world.fault({ Fault: 'clear' })
    world.fault({ Fault: 'passkey' })
  })
  after(async () => {
    await browser?.close()
    await world?.stop()
  })
  afterEach(async () => {
    const complaints = customers.flatMap((customer) => customer.complaints).filter(isFault)
    for (const { context } of customers.splice(0)) await context.close()
    expect(complaints, 'errors in the browser').to.deep.equal([])
  })

  const arrive = async (customer: Customer): Promise<Arrival> => {
    customers.push(customer)
    const { page } = customer
    const phone = await world.phone('Keyed')
    const whatsapp = await openWhatsApp(customer, phone)
    await page.bringToFront()
    await begin(customer, (await makeLink(world)).url)
    const linked = await scan(page, phone)
    expect(await page.locator('#qr').getAttribute('src')).to.equal(null)
    return { page, whatsapp, phone, ...linked }
  }
  const scan = async (page: Page, phone: Phone): Promise<{ linked: Promise<string> }> => {
    await shown(page, '#qr')
    const linked = phone.scan(await photograph(page))
    linked.catch(() => undefined)
    await shown(page, '#part-passkey')
    return { linked }
  }
  /** With an extension as in Firefox. */
  const arriveWithBridge = async (answer = 'signOnWhatsApp(challenge)'): Promise<Arrival> => {
    const customer = await openCustomer(browser)
    let whatsapp: Page | undefined
    await customer.page.exposeFunction('signOnWhatsApp', (challenge: unknown) =>
      whatsapp?.evaluate(`(${SIGN})(${JSON.stringify(challenge)})`),
    )
    await customer.page.addInitScript({ content: bridge(answer) })
    const arrival = await arrive(customer)
    whatsapp = arrival.whatsapp
    return arrival
  }
  const sign = (page: Page) => page.getByRole('button', { name: 'Confirm with passkey' }).click()
  const codeShown = async (page: Page): Promise<string> => {
    await shown(page, '#passkey-confirm')
    return page.locator('#confirm-code').innerText()
  }
  const finish = async ({ page, phone, linked }: Pick<Arrival, 'page' | 'phone' | 'linked'>) => {
    const code = await codeShown(page)
    expect(code).to.match(/^\w{4}-\w{4}$/)
    expect(code, "the phone's code").to.equal(phone.passkey.code)
    expect(await page.evaluate('document.activeElement.id')).to.equal('confirm-heading')
    await page.getByRole('button', { name: 'The codes are the same' }).click()
    await says(page, 'Thank you. Finishing …')
    phone.passkey.compare(code)
    await linked
    await shown(page, '#part-result.good')
    await shown(page, `text=ending in ${phone.account.phone.slice(-4)}`)
  }

  it('links with an extension of Chrome', async () => {
    const context = await launchProfile({
      locale: 'en-GB',
      ignoreDefaultArgs: ['--disable-extensions'],
      args: [`--disable-extensions-except=${extension.folder}`, `--load-extension=${extension.folder}`],
    })
    const arrival = await arrive(await customerOf(context))
    const { page } = arrival
    await shown(page, '#with-extension')
    expect(await page.locator('#without-extension').isVisible()).to.equal(false)
    await picture(page, 'passkey-extension')
    await sign(page)
    await shown(page, '#passkey-confirm')
    await page.bringToFront()
    await picture(page, 'passkey-confirm')
    await finish(arrival)
  })

  whole.it('links with an extension that answers messages to the window, as in Firefox', async () => {
    const arrival = await arriveWithBridge()
    await sign(arrival.page)
    await finish(arrival)
  })

  whole.it('links with the script in the console of web.whatsapp.com, whose result is pasted', async () => {
    const customer = await openCustomer(browser)
    const arrival = await arrive(customer)
    const { page, whatsapp } = arrival
    await shown(page, '#without-extension')
    await page.getByText('Without an extension').click()
    await picture(page, 'passkey-manual')
    await customer.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.bringToFront()
    await page.getByRole('button', { name: 'Copy script' }).click()
    await says(page, 'Copied')
    const script = (await page.evaluate('navigator.clipboard.readText()')) as string
    await whatsapp.bringToFront()
    await whatsapp.evaluate(script)
    await sign(whatsapp)
    await shown(whatsapp, 'text=Done. The result is copied')
    const result = (await whatsapp.evaluate('navigator.clipboard.readText()')) as string

    await page.bringToFront()
    const send = async (text: string): Promise<void> => {
      await page.getByLabel('Result').fill(text)
      await page.getByRole('button', { name: 'Send result' }).click()
    }
    for (const wrong of ['not JSON', '{}', result.replace('"public-key"', '"password"')]) {
      await send(wrong)
      await shown(page, 'text=This is not the result')
    }
    await send(result)
    await finish(arrival)
  })

  it('says what to do when the network refuses the passkey, and asks for it again at the next attempt', async () => {
    world.fault({ Fault: 'passkeyRefused' })
    const { page, phone, linked } = await arriveWithBridge()
    await sign(page)
    await shown(page, 'text=The passkey was not accepted')
    await shown(page, 'text=Try again from the start')
    expect(await whyFailed(linked)).to.include('not-authorized')
    await picture(page, 'passkey-failed')
    world.fault({ Fault: 'clear' })
    world.fault({ Fault: 'passkey' })
    await answeredLate(page, 'retry', async () => {
      await page.getByRole('button', { name: 'Try again' }).click()
      await shown(page, '#qr')
    })
    const again = await scan(page, phone)
    await sign(page)
    await finish({ page, phone, ...again })
  })

  whole.it('links nothing when the codes differ', async () => {
    const { page, phone, linked } = await arriveWithBridge()
    await sign(page)
    await codeShown(page)
    await page.getByRole('button', { name: 'They differ' }).click()
    await shown(page, 'text=Linking was stopped')
    expect(await whyFailed(linked)).to.include('disconnected')
    expect(phone.view()['Companions']).to.deep.equal([])
  })

  whole.it('says that a step took too long, and links after it', async () => {
    await world.stop()
    world = await startWorld({ config: { baileys: { passkeyMs: 4_000, passkeyStepMs: 4_000 } } })
    world.fault({ Fault: 'passkeySilent' })
    // The extension never answers the first challenge.
    const { page, phone } = await arriveWithBridge(
      '(window.asked = (window.asked ?? 0) + 1) > 1 ? signOnWhatsApp(challenge) : new Promise(() => undefined)',
    )
    const timedOut = async (name: string): Promise<void> => {
      await shown(page, 'text=The passkey took too long')
      await shown(page, 'text=keep WhatsApp open on the phone')
      await says(page, '')
      await picture(page, name)
      await page.getByRole('button', { name: 'Try again' }).click()
    }
    await sign(page)
    await timedOut('passkey-timeout')
    await scan(page, phone)
    expect(await page.locator('#sign-error').textContent()).to.equal('')
    await sign(page)
    await says(page, /^Passkey confirmed\. Waiting for the phone/)
    await picture(page, 'passkey-sent')
    await timedOut('passkey-timeout-phone')
    world.fault({ Fault: 'clear' })
    world.fault({ Fault: 'passkey' })
    const again = await scan(page, phone)
    await sign(page)
    await finish({ page, phone, ...again })
  })
})

/** Holds the answer of a route back until `work` has ended: the stream may be faster than it. */
async function answeredLate(page: Page, path: string, work: () => Promise<void>): Promise<void> {
  let release = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    release = resolve
  })
  const address = `**/${path}`
  await page.route(address, async (route) => {
    const response = await route.fetch()
    await ended
    await route.fulfill({ response })
  })
  const answer = page.waitForResponse(address)
  await work()
  release()
  await (await answer).finished()
  // The script handles the answer before it can be pressed again.
  await page.locator(`#${path}:not([aria-disabled])`).waitFor({ state: 'attached' })
  await page.unroute(address)
}

function whyFailed(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'linked',
    (error: Error) => error.message,
  )
}

/** A refusal that a test provokes is logged by the browser, too. */
function isFault(complaint: string): boolean {
  return !/the server responded with a status of (400|403)/.test(complaint)
}
