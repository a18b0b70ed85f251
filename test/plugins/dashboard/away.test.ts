import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { freePort } from '../../../config/build/port.ts'
import { createPages } from '../../../plugins/dashboard/pages.ts'
import { hasBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startProcess } from '../../support/process.ts'
import { admin } from '../../support/sessions.ts'
import { enter, type Operator, openBrowser, openOperator } from './browser.ts'

describe('the dashboard and the process behind it', () => {
  if (!hasBrowser()) return
  const dataDir = temporaryFolder()
  let browser: Browser
  let env: Record<string, string>
  let gateway: GatewayProcess
  let operator: Operator
  let page: Page

  const restart = async (): Promise<void> => {
    gateway = await startProcess(env, ['sandbox', '--empty'])
  }
  before(async () => {
    env = { WAMUX_DATA_DIR: dataDir, WAMUX_PORT: String(await freePort()) }
    ;[browser] = await Promise.all([openBrowser(), restart()])
  })
  beforeEach(async () => {
    operator = await openOperator(browser, gateway.url)
    page = operator.page
    page.setDefaultTimeout(60_000)
  })
  afterEach(() => operator.close())
  after(() => gateway?.end('SIGTERM'))

  const follow = (screen: string): Promise<void> =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click()
  const heading = (name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor()

  it('shows a screen that was not opened before once the gateway is back', async () => {
    await enter(operator)
    await gateway.end('SIGTERM')
    await follow('Audit log')
    await page.locator('#content').getByText('Connection lost. Trying again…').waitFor()
    await restart()
    await heading('Audit log')
    expect(new URL(page.url()).pathname).to.equal('/dashboard/audit')
  })

  it('loads itself again, at the same place, where an upgrade has replaced its files', async () => {
    await enter(operator)
    let loads = 0
    page.on('load', () => {
      loads += 1
    })
    // The other gateway has no file of that name; the document that it serves names its own.
    await page.route(/\/assets\/keys-/, (route) =>
      loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    )
    await follow('Keys')
    await heading('Keys')
    expect(loads).to.equal(1)
    expect(new URL(page.url()).pathname).to.equal('/dashboard/keys')
  })

  it('says that a screen can not be loaded, and tries again when asked to, where that does not help', async () => {
    await enter(operator)
    await page.route(/\/assets\/keys-/, (route) => route.fulfill({ status: 404 }))
    await follow('Keys')
    const again = page.locator('#content').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute(/\/assets\/keys-/)
    await again.click()
    await heading('Keys')
  })

  it('names the file of the admin token of this gateway at the login', async () => {
    await operator.open('/')
    // A path of the machine is not for everybody who opens the page.
    expect(await page.locator('#login-help code').textContent()).to.equal('…/sandbox/admin-token')
    for (const [folder, file] of [
      ['./data', './data/admin-token'],
      ['data/sandbox', './data/sandbox/admin-token'],
      ['../"><script>', './../&#34;&#62;&#60;script&#62;/admin-token'],
    ]) {
      const settings = { version: '1.0.0', dataDir: String(folder), allowPrivateHosts: [] }
      const { body } = await createPages({ settings }).document('')
      expect(body).to.include(`<meta name="wamux-token-file" content="${file}">`)
    }
  })

  it('says in words that the gateway is away, and shows what was asked for once it is back', async () => {
    const { data } = await gateway.post('/session/init', { Name: 'kiosk' }, admin)
    const dialog = page.getByRole('dialog')
    await enter(operator, `/sessions/${data.Id}`)
    await page.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel('Name').fill('booth')
    await gateway.end('SIGTERM')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').getByText('The gateway cannot be reached.').waitFor()
    await page.getByText('Connection lost. Trying again…').waitFor()
    await restart()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await heading('booth')
    await follow('Keys')
    await heading('Keys')
    await gateway.end('SIGTERM')
    await follow('Sessions')
    await follow('Keys')
    await page.getByText('The gateway cannot be reached. Trying again…').first().waitFor()
    await restart()
    await page.getByText('There is no key yet.').waitFor()
    await page.getByText('The gateway cannot be reached.').first().waitFor({ state: 'detached' })
    await gateway.post('/session/delete', { Id: data.Id }, admin)
  })

  it('says in words that the network is off, and goes on when it is on', async () => {
    await enter(operator, '/keys')
    await operator.context.setOffline(true)
    await follow('Sessions')
    await follow('Keys')
    await page.getByText('The gateway cannot be reached. Trying again…').first().waitFor()
    await operator.context.setOffline(false)
    await page.getByText('There is no key yet.').waitFor()
  })

  it('links the session that the run before has left, and makes no other one', async () => {
    const setUp = async (): Promise<void> => {
      await enter(operator, '/phones')
      await page.getByRole('button', { name: 'Set up two phones and link one' }).click()
      await page.locator('.phone').getByText('linked').waitFor()
    }
    const names = async (): Promise<string[]> =>
      (await gateway.get('/session/all', admin)).data.map(({ Name }: { Name: string }) => Name)
    const isOpen = async (): Promise<boolean> => (await gateway.get('/session/all', admin)).data[0].LoggedIn
    await setUp()
    await eventually(isOpen, 'logged in')
    await gateway.end('SIGTERM')
    await restart()
    await setUp()
    await eventually(isOpen, 'logged in again')
    expect(await names()).to.deep.equal(['demo'])
  })
})
