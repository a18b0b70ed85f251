import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { hasBrowser } from '../../support/browser.ts'
import { whole } from '../../support/run/whole.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { enter, logIn, type Operator, openBrowser, openOperator, picture } from './browser.ts'

const MARKUP = '<img src=x onerror="document.title=1">'

describe('the screens of the dashboard', () => {
  if (!hasBrowser()) return
  let browser: Browser
  let world: World
  let operator: Operator
  const tokens: string[] = []

  before(async () => {
    ;[world, browser] = await Promise.all([startWorld(), openBrowser()])
  })
  beforeEach(async () => {
    operator = await openOperator(browser, world.gateway.url)
  })
  afterEach(async () => {
    expect(operator.complaints).to.deep.equal([])
    // No answer that the page asked for holds a token, and no cookie or storage that a script can read.
    for (const token of [admin.admintoken, ...tokens])
      expect(operator.answers.filter((answer) => answer.includes(token))).to.deep.equal([])
    const readable = await operator.page.evaluate(
      'document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }) + document.documentElement.outerHTML',
    )
    expect(readable)
      .to.not.contain(admin.admintoken)
      .and.not.match(/wamux_dashboard/)
    await operator.close()
  })
  after(() => world?.stop())

  async function make(name: string, fields: object = {}): Promise<string> {
    const { data } = await world.gateway.post('/session/init', { Name: name, ...fields }, admin)
    tokens.push(String(data.Token))
    return String(data.Id)
  }

  it('ask for a token, refuse a wrong one with the text of the interface, and are shown after the right one', async () => {
    const { page, complaints } = operator
    await operator.open('/keys')
    await page.getByLabel('Admin token or key').waitFor()
    await picture(page, 'login')
    await page.getByLabel('Admin token or key').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('invalid token').waitFor()
    complaints.length = 0
    await logIn(operator, '/keys')
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  })

  it('say what to do when there is no session', async () => {
    await enter(operator)
    await operator.page.getByText('There is no session yet').waitFor()
    await picture(operator.page, 'fleet-empty')
  })

  it('make a session by keyboard, and link it by the QR code on the screen', async () => {
    const { page } = operator
    await enter(operator)
    await page.getByRole('button', { name: 'New session' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').waitFor()
    await page.keyboard.press('Tab')
    await page.getByLabel('Name').focus()
    await page.keyboard.type('first')
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: 'QR code to scan with the phone' }).waitFor()
    await picture(page, 'link-qr')
    const phone = await world.phone('First')
    const shot = `data:image/png;base64,${(await page.screenshot()).toString('base64')}`
    const { status } = await world.gateway.post(
      `/sandbox/phones/${phone.account.phone}/scan`,
      { QRCode: shot },
      admin,
    )
    expect(status).to.equal(200)
    await page.getByText('The account is linked.').waitFor()
    expect(await page.getByRole('img', { name: 'QR code' }).count()).to.equal(0)
    await picture(page, 'link-done')
    await page.getByRole('main').getByRole('link', { name: 'To the session' }).first().click()
    await page.getByRole('heading', { name: 'first', level: 1 }).waitFor()
    await page.getByRole('heading', { name: 'History of states' }).waitFor()
    await picture(page, 'session')
    await page.getByRole('button', { name: 'Unlink' }).click()
    await page.getByText('its keys are deleted here').waitFor()
    await picture(page, 'session-unlink')
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Unlinked').first().waitFor()
  })

  it('show the fleet live, and names as the texts that they are', async () => {
    const { page } = operator
    const id = await make(MARKUP, { Labels: { customer: MARKUP } })
    await make('calm')
    await enter(operator)
    await page.getByRole('link', { name: MARKUP }).waitFor()
    expect(await page.locator('main img').count()).to.equal(0)
    await page.getByText('Live', { exact: true }).waitFor()
    const row = page.locator('tr.session', { hasText: '<img' })
    await row.getByText('Stopped', { exact: true }).waitFor()
    await world.gateway.post('/session/connect', {}, { ...admin, 'X-Session': id })
    await row.getByText('Waiting for a scan').waitFor()
    await picture(page, 'fleet')
    await page.getByPlaceholder('Name, number or label').fill('calm')
    await row.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).to.equal('?search=calm')
    await operator.open(`/sessions/${id}`)
    await page.getByRole('heading', { name: MARKUP, level: 1 }).waitFor()
    expect(await page.locator('main img').count()).to.equal(0)
  })

  whole.it('show a code by number that the phone takes', async () => {
    const { page } = operator
    const id = await make('by code')
    const phone = await world.phone('Coded')
    await enter(operator, `/link/${id}`)
    await page.getByRole('tab', { name: 'QR code' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByLabel('Number of the account').fill(phone.account.phone)
    await page.keyboard.press('Enter')
    const code = await page.locator('.code code').textContent()
    await picture(page, 'link-code')
    await world.gateway.post(
      `/sandbox/phones/${phone.account.phone}/pair`,
      { Code: code?.replace('-', '') },
      admin,
    )
    await page.getByText('The account is linked.').waitFor()
  })

  it('show plugins with their settings, the audit log, and health', async () => {
    const { page } = operator
    await world.linked(await world.phone('Limits'))
    await enter(operator, '/plugins')
    const webhook = page.getByRole('region', { name: 'webhook' })
    await webhook.getByText(/\d+ settings/).click()
    await webhook.getByText('timeoutMs').waitFor()
    await picture(page, 'plugins')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('cell', { name: 'dashboard.login' }).first().waitFor()
    await picture(page, 'audit')
    await page.getByRole('link', { name: 'Limits and health' }).click()
    await page.getByText('All checks hold.').waitFor()
    await page.getByRole('cell', { name: 'webhook', exact: true }).first().waitFor()
    const version = page.getByRole('region', { name: 'Version of WhatsApp Web' })
    await version.getByText(/^2\.3000\.\d+$/).waitFor()
    await version.getByText('sw.js').waitFor()
    await version.getByText('0 days').waitFor()
    const limits = page.getByRole('row').filter({ hasText: 'Limits' })
    await limits.getByRole('button', { name: 'Ask WhatsApp' }).click()
    await limits.getByText('WhatsApp sets no limit.').waitFor()
    await page.getByRole('row', { name: /^Size of the database [\d.]+ [kM]B$/ }).waitFor()
    await picture(page, 'health')
  })

  it('ask for a login again when it has ended', async () => {
    const { page, complaints } = operator
    await enter(operator)
    await page.getByRole('button', { name: 'Log out' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Admin token or key').waitFor()
    await page.reload()
    await page.getByLabel('Admin token or key').waitFor()
    complaints.length = 0
  })

  it('need no scrolling to the side on a phone, and show where one is', async () => {
    const { page } = operator
    await make('a name that is longer than a phone is wide, as names of branches are')
    await enter(operator)
    await page.setViewportSize({ width: 390, height: 844 })
    const widths = '((e) => [e.scrollWidth, e.clientWidth])(document.querySelector("main .table-scroll"))'
    for (const [place, name] of [
      ['/audit', 'Audit log'],
      ['/health', 'Limits and health'],
    ] as const) {
      await operator.open(place)
      await page.getByRole('cell').first().waitFor()
      const [wide, seen] = (await page.evaluate(widths)) as [number, number]
      expect(wide, `${place}: width of the table`).to.equal(seen)
      const box = await page.getByRole('navigation').getByRole('link', { name, exact: true }).boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0), `${place}: its link in the navigation`).to.be.within(1, 390)
    }
    await operator.open('/events')
    const row = page.locator('.events-row').first()
    await row.waitFor()
    expect((await row.locator('.events-text').boundingBox())?.width).to.be.greaterThan(300)
    await picture(page, 'events-phone')
  })

  it('break no action or address within a word in the audit log', async () => {
    const { page } = operator
    await enter(operator, '/audit')
    const action = page.getByText('dashboard.login').first()
    await action.waitFor()
    expect((await action.boundingBox())?.height).to.be.below(30)
  })

  it('are reached by links and by the buttons of the browser, each at its own address', async () => {
    const { page } = operator
    await enter(operator)
    const nav = page.getByRole('navigation', { name: 'Screens' })
    await nav.getByRole('link', { name: 'Plugins' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Plugins', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).to.equal('/dashboard/plugins')
    await page.goBack()
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).to.equal('/dashboard')
    await operator.open('/nowhere')
    await page.getByText('There is nothing at this address.').waitFor()
  })

  whole.it('keep language and colours', async () => {
    const { page } = operator
    await enter(operator)
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('heading', { name: 'Sitzungen' }).waitFor()
    await page.getByLabel('Farben').selectOption('dark')
    await page.reload()
    await page.getByRole('heading', { name: 'Sitzungen' }).waitFor()
    expect(
      await page.evaluate('[document.documentElement.lang, document.documentElement.dataset.theme]'),
    ).to.deep.equal(['de', 'dark'])
  })
})
