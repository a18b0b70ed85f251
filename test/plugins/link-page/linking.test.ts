import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { assertFits, hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN } from '../../support/gateway.ts'
import { createProbe } from '../../support/probe.ts'
import { whole } from '../../support/run/whole.ts'
import { sessionOf, startWorld, type World } from '../../support/world.ts'
import {
  begin,
  type Customer,
  openBrowser,
  openCustomer,
  PICTURES,
  photograph,
  picture,
  qrOn,
  readQr,
  says,
  shown,
} from './browser.ts'
import { openRelay } from './relay.ts'
import { createClock, type Made, makeLink } from './support.ts'

const PHONE_SCREEN = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true }

describe('the link page in a browser', function () {
  this.timeout(180_000)
  let world: World
  let browser: Browser
  const clock = createClock()
  const probe = createProbe()
  const customers: Customer[] = []
  before(async function () {
    if (!hasBrowser()) return this.skip()
    world = await startWorld({
      extra: [clock.plugin, probe.plugin],
      config: { 'link-page': { serviceName: 'Example Shop' } },
    })
    browser = await openBrowser()
    return undefined
  })
  after(async () => {
    await browser?.close()
    await world?.stop()
    process.stdout.write(`      pictures of the page: ${PICTURES}\n`)
  })
  afterEach(async () => {
    const complaints = customers.flatMap((customer) => customer.complaints)
    for (const { context } of customers.splice(0)) await context.close()
    world.fault({ Fault: 'clear' })
    expect(complaints.filter(isFault), 'errors in the browser').to.deep.equal([])
  })

  const arrive = async (options = {}): Promise<Customer> => {
    const customer = await openCustomer(browser, options)
    customers.push(customer)
    return customer
  }
  /** A page whose connection the test breaks and whose clock it moves. */
  const startBehindRelay = async () => {
    const made = await makeLink(world)
    const relay = await openRelay(Number(new URL(world.gateway.url).port))
    const customer = await arrive()
    await customer.page.clock.install()
    await begin(customer, made.url.replace(/:\d+\//, `:${relay.port}/`))
    return { made, relay, customer, page: customer.page }
  }
  const start = async (body = {}, options = {}): Promise<Customer & Made> => {
    const made = await makeLink(world, body, { Name: 'customer 7' })
    const customer = await arrive(options)
    await begin(customer, made.url)
    return { ...customer, ...made }
  }
  /** The code that the gateway shows everyone now. */
  const current = async (token: string): Promise<string | undefined> => {
    const { data } = await world.gateway.get('/session/qr', { token })
    return data && readQr(data.QRCode)
  }
  const loggedIn = (token: string, phone: Awaited<ReturnType<World['phone']>>) =>
    sessionOf(world.gateway, token, phone).status({ LoggedIn: true })

  it('links by a QR code that a phone reads off the screen, and still says so when it is loaded again', async () => {
    const made = await makeLink(world)
    const customer = await arrive()
    const { page } = customer
    await page.goto(made.url)
    await shown(page, 'text=Example Shop asks you')
    await picture(page, 'start')
    await begin(customer, made.url)
    await shown(page, '#qr')
    await says(page, 'Ready: scan the QR code.')
    expect(await qrOn(page)).to.equal(await current(made.token))
    await picture(page, 'qr')
    const phone = await world.phone('Shop')
    await phone.scan(await photograph(page))
    await shown(page, '#part-result')
    const ends = `ending in ${phone.account.phone.slice(-4)} is linked`
    expect(await page.locator('#part-result').innerText()).to.include(ends)
    expect(await page.evaluate('document.activeElement.id')).to.equal('result-heading')
    await picture(page, 'linked')
    await loggedIn(made.token, phone)
    await page.reload()
    await shown(page, '#part-result')
    expect(await page.locator('#part-result').innerText()).to.include(ends)
    expect(await page.content()).to.not.include(phone.account.phone)
  })

  whole.it('has no token in what it shows, stores and receives', async () => {
    const { page, context, answers, token, url } = await start()
    await shown(page, '#qr')
    await page.getByRole('tab', { name: 'Phone number' }).click()
    await page
      .getByLabel('Phone number of the WhatsApp account')
      .fill((await world.phone('Own')).account.phone)
    await page.getByRole('button', { name: 'Get code' }).click()
    await shown(page, '#code')
    await page.reload()
    await shown(page, '#code')
    const kept = await page.evaluate(
      `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, await indexedDB.databases()]))()`,
    )
    expect(kept).to.equal('[{},{},"",[]]')
    const cookies = await context.cookies()
    expect(cookies).to.have.length(1)
    expect(cookies[0]).to.include({ httpOnly: true, sameSite: 'Strict', path: new URL(url).pathname })
    // The stream is not among the answers of the browser's own log.
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const stream = await fetch(`${url}/stream`, { headers: { cookie } })
    const states = Buffer.from((await stream.body?.getReader().read())?.value ?? []).toString()
    const everything = [...answers, await page.content(), JSON.stringify(cookies), states].join('\n')
    expect(answers.length).to.be.greaterThan(10)
    for (const secret of [token, ADMIN]) expect(everything).to.not.include(secret)
  })

  it('shows each QR code as it rotates, and never an old one', async () => {
    world.fault({ Fault: 'companion_reg_refresh' })
    const { page, token } = await start()
    await shown(page, '#qr')
    const first = await qrOn(page)
    expect(first).to.equal(await current(token))
    const phone = await world.phone('Turn')
    const refused = await phone.scan(await photograph(page)).catch((error: Error) => error.message)
    expect(refused).to.include("couldn't link")
    await eventually(async () => (await qrOn(page)) !== first, 'another code')
    const second = await eventually(() => qrOn(page), 'a code')
    expect(second).to.equal(await current(token))
    await phone.scan(await photograph(page))
    await shown(page, '#part-result.good')
    await loggedIn(token, phone)
  })

  whole.it('follows codes that change fast, and clears the last one when its time is over', async () => {
    const { page, id } = await start()
    await shown(page, '#qr')
    for (const code of ['one', 'two', 'three', 'four']) {
      await probe.log.raise(id, 'session.qr', { code, expires: 60_000 })
      await eventually(async () => (await qrOn(page)) === code, `showing ${code}`)
    }
    await probe.log.raise(id, 'session.qr', { code: 'last', expires: 1_500 })
    await eventually(async () => (await qrOn(page)) === 'last', 'showing the last one')
    await page.locator('#qr').waitFor({ state: 'hidden' })
    expect(await page.locator('#qr').getAttribute('src')).to.equal(null)
    expect(await qrOn(page)).to.equal(undefined)
    await says(page, 'Getting a code …')
    await picture(page, 'preparing')
  })

  whole.it('shows no code while WhatsApp is away, and a new one when it is back', async () => {
    const { page, token } = await start()
    await shown(page, '#qr')
    const first = await qrOn(page)
    world.fault({ Fault: 'down' })
    await page.locator('#qr').waitFor({ state: 'hidden' })
    await says(page, /can’t be reached/)
    world.fault({ Fault: 'up' })
    await shown(page, '#qr')
    const second = await qrOn(page)
    expect(second).to.not.equal(first)
    expect(second).to.equal(await current(token))
  })

  whole.it('offers to begin again when all codes have timed out', async () => {
    world.fault({ Fault: 'endCodes' })
    const { page, token } = await start()
    await shown(page, 'text=No code was scanned')
    await picture(page, 'timeout')
    world.fault({ Fault: 'clear' })
    await page.getByRole('button', { name: 'Try again' }).click()
    await shown(page, '#qr')
    expect(await qrOn(page)).to.equal(await current(token))
    const phone = await world.phone('Again')
    await phone.scan(await photograph(page))
    await shown(page, '#part-result.good')
  })

  whole.it(
    'clears the QR code when its stream breaks or falls silent, and shows the current one after that',
    async () => {
      const { made, relay, customer, page } = await startBehindRelay()
      await shown(page, '#qr')
      // No timer runs from here on: it is the break that clears the code, not the silence after it.
      await page.clock.pauseAt(new Date(Date.now() + 2_000))
      await shown(page, '#qr')
      relay.cut()
      await page.locator('#qr').waitFor({ state: 'hidden', timeout: 10_000 })
      expect(await page.locator('#qr').getAttribute('src')).to.equal(null)
      await says(page, 'Connection lost. Trying again …')
      await picture(page, 'lost')
      relay.restore()
      await shown(page, '#qr')
      expect(await qrOn(page)).to.equal(await current(made.token))
      relay.pause()
      await page.clock.fastForward(14_000)
      await page.locator('#qr').waitFor({ state: 'hidden' })
      await says(page, 'Connection lost. Trying again …')
      relay.restore()
      await shown(page, '#qr')
      expect(await qrOn(page)).to.equal(await current(made.token))
      relay.close()
      // What a browser logs about a connection that was cut.
      customer.complaints.length = 0
    },
  )

  it('links with a phone number, with the keyboard alone', async () => {
    const { url, token } = await makeLink(world)
    const { page } = await arrive()
    const phone = await world.phone('Keys')
    const focus = () => page.evaluate('document.activeElement.id || document.activeElement.textContent')
    const reach = async (wanted: string): Promise<void> => {
      for (let count = 0; count < 20 && (await focus()) !== wanted; count += 1)
        await page.keyboard.press('Tab')
      expect(await focus()).to.equal(wanted)
    }
    await page.goto(url)
    await reach('Start')
    await page.keyboard.press('Enter')
    await shown(page, '#qr')
    await reach('tab-qr')
    await page.keyboard.press('ArrowRight')
    expect(await focus()).to.equal('tab-code')
    await shown(page, '#panel-code')
    expect(await page.locator('#tab-code').getAttribute('aria-selected')).to.equal('true')
    await reach('phone')
    await page.keyboard.type('12')
    await page.keyboard.press('Enter')
    await shown(page, '#phone-error:has-text("country code")')
    expect(await focus()).to.equal('phone')
    await picture(page, 'phone-invalid')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(`+${phone.account.phone}`)
    await page.keyboard.press('Enter')
    await shown(page, '#code-part')
    await eventually(async () => (await focus()) === 'code-heading', 'at the code')
    await says(page, 'Enter the code on the phone.')
    const groups = await page.locator('#code span').allInnerTexts()
    expect(groups.join('-')).to.match(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    expect(await page.locator('#code').getAttribute('aria-label')).to.equal([...groups.join('')].join(' '))
    expect(await page.locator('#code-left').innerText()).to.match(/^Valid for (3:00|2:5\d)$/)
    await picture(page, 'code')
    await reach('code-new')
    await page.keyboard.press('Enter')
    await eventually(
      async () => (await page.locator('#code').innerText()) !== groups.join('\n'),
      'a new code',
    )
    await page.reload()
    await shown(page, '#code-part')
    const code = (await page.locator('#code span').allInnerTexts()).join('')
    await phone.pair(code)
    await shown(page, '#part-result.good')
    expect(await focus()).to.equal('result-heading')
    await loggedIn(token, phone)
  })

  whole.it('clears a pairing code after 180 seconds, and gives another one', async () => {
    const { relay, customer, page } = await startBehindRelay()
    await page.getByRole('tab', { name: 'Phone number' }).click()
    const phone = await world.phone('Slow')
    await page.getByLabel('Phone number of').fill(phone.account.phone)
    await page.getByRole('button', { name: 'Get code' }).click()
    await shown(page, '#code span >> nth=0')
    const first = await page.locator('#code').innerText()
    // The clock of the gateway goes on as before: it must not tell the page that the code is valid.
    relay.pause()
    await page.clock.fastForward(181_000)
    await shown(page, 'text=This code has expired. Get a new one.')
    expect(await page.locator('#code').innerText()).to.equal('')
    expect(await page.getByRole('button', { name: 'Copy code' }).isVisible()).to.equal(false)
    await picture(page, 'code-expired')
    relay.restore()
    await shown(page, '#code span >> nth=0')
    await page.getByRole('button', { name: 'New code' }).click()
    const other = async () => (await page.locator('#code').innerText()) !== first
    await eventually(other, 'another code')
    await phone.pair((await page.locator('#code span').allInnerTexts()).join(''))
    await shown(page, '#part-result.good')
    relay.close()
    customer.complaints.length = 0
  })

  whole.it('says when WhatsApp gives no code for a number, and still links by the QR code', async () => {
    const customer = await start()
    const { page, token } = customer
    await shown(page, '#qr')
    world.fault({ Fault: 'refuseLinkCode' })
    await page.getByRole('tab', { name: 'Phone number' }).click()
    await page.getByLabel('Phone number of').fill('5511999999999')
    await page.getByRole('button', { name: 'Get code' }).click()
    await shown(page, '#phone-error:has-text("WhatsApp gave no code for this number")')
    await picture(page, 'code-refused')
    world.fault({ Fault: 'clear' })
    await page.getByRole('tab', { name: 'QR code' }).click()
    const phone = await world.phone('Other way')
    await phone.scan(await photograph(page))
    await shown(page, '#part-result.good')
    await loggedIn(token, phone)
  })

  whole.it('shows another browser that the link was used, and no code', async () => {
    const { url } = await start()
    const { page } = await arrive()
    const answer = await page.goto(url)
    expect(answer?.status()).to.equal(410)
    await shown(page, 'text=This link was already used')
    expect(await page.locator('#qr, script').count()).to.equal(0)
    await picture(page, 'used')
  })

  whole.it('opens again in its own browser, also from a link on another site', async () => {
    const { page, context, url } = await start()
    await shown(page, '#qr')
    const mail = await context.newPage()
    const { port } = new URL(url)
    await mail.route(`http://localhost:${port}/mail`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${url}">link</a>` }),
    )
    await mail.goto(`http://localhost:${port}/mail`)
    await mail.getByRole('link').click()
    await shown(mail, '#qr')
    expect(await qrOn(mail)).to.equal(await qrOn(page))
  })

  whole.it('says when the link has expired or was revoked, and clears the code', async () => {
    const late = await start()
    await shown(late.page, '#qr')
    await clock.expire(late.id)
    await shown(late.page, 'text=This link has expired')
    expect(await late.page.locator('#qr').getAttribute('src')).to.equal(null)
    const revoked = await start()
    await shown(revoked.page, '#qr')
    const old = await photograph(revoked.page)
    await world.gateway.call('DELETE', '/session/link-page', { headers: { token: revoked.token } })
    await shown(revoked.page, 'text=This link is no longer valid')
    expect(await revoked.page.locator('#qr').getAttribute('src')).to.equal(null)
    await picture(revoked.page, 'revoked')
    const phone = await world.phone('Too late')
    expect(await phone.scan(old).catch((error: Error) => error.message)).to.include('expired')
  })

  whole.it('fits on a phone in every language, and begins with the phone number there', async () => {
    for (const Language of ['en', 'pt', 'es', 'de', 'id']) {
      const { url } = await makeLink(world, { Language })
      const customer = await arrive(PHONE_SCREEN)
      const { page } = customer
      await page.goto(url)
      await picture(page, `phone-start-${Language}`)
      await begin(customer, url)
      expect(await page.locator('html').getAttribute('lang')).to.equal(Language)
      await shown(page, '#panel-code')
      await picture(page, `phone-code-${Language}`)
      await page.locator('#tab-qr').click()
      await shown(page, '#qr')
      await picture(page, `phone-qr-${Language}`)
      for (const part of ['part-passkey', 'part-result'])
        await page.evaluate(`document.getElementById('${part}').hidden = false`)
      await page.evaluate(`document.querySelectorAll('#part-passkey [hidden], #part-passkey details').forEach((part) => {
        part.hidden = false
        part.open = true
      })`)
      await assertFits(page, `all parts in ${Language}`)
    }
  })

  it('changes its language', async () => {
    const { page } = await start()
    await shown(page, '#qr')
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await shown(page, '#link-heading:has-text("WhatsApp-Konto verknüpfen")')
    await says(page, 'Bereit: Scannen Sie den QR-Code.')
  })
})

/** A refusal that a test provokes is logged by the browser, too. */
function isFault(complaint: string): boolean {
  return !/the server responded with a status of (400|403|410)/.test(complaint)
}
