import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { hasBrowser } from '../../support/browser.ts'
import { startWorld, type World } from '../../support/world.ts'
import { logIn, type Operator, openBrowser, openOperator, picture } from './browser.ts'

describe('the shell of the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let browser: Browser
  let world: World
  let operator: Operator

  before(async () => {
    world = await startWorld()
    browser = await openBrowser()
  })
  beforeEach(async () => {
    operator = await openOperator(browser, world.gateway.url)
  })
  afterEach(async () => {
    expect(operator.complaints).to.deep.equal([])
    await operator.close()
  })
  after(async () => {
    await browser?.close()
    await world?.stop()
  })

  it('asks for a token, refuses a wrong one with the text of the interface, and shows the screens after the right one', async () => {
    const { page, complaints } = operator
    await operator.open('/keys')
    await page.getByLabel('Admin token or key').waitFor()
    await picture(page, 'login')
    await page.getByLabel('Admin token or key').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('invalid token').waitFor()
    complaints.length = 0
    await logIn(operator, undefined, '/keys')
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  })

  it('goes to screens by links and by the buttons of the browser, each at its own address', async () => {
    const { page } = operator
    await logIn(operator)
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

  it('keeps language and colours', async () => {
    const { page } = operator
    await logIn(operator)
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
