import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { Browser, Locator } from 'playwright-core'
import { hasBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startProcess } from '../../support/process.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { admin } from '../../support/sessions.ts'
import { type Operator, openBrowser, openOperator, PICTURES } from './browser.ts'
import { createRecording } from './recording.ts'

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
/** The file in the README is this one, stored by hand: `WAMUX_WALK=plugins/dashboard/walk.webp`. */
const FILE = process.env['WAMUX_WALK'] || join(PICTURES, 'walk.webp')
const MAX_BYTES = 1_500_000

/** The steps of somebody who has read no documentation: each thing pressed is on the page. */
describe('the first walk through the sandbox', function () {
  if (!hasBrowser()) return
  this.timeout(180_000)
  let browser: Browser
  let gateway: GatewayProcess
  let receiver: Receiver
  let operator: Operator
  const recording = createRecording()

  before(async () => {
    browser = await openBrowser()
    receiver = await startReceiver()
    const env = {
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.0/8',
      WAMUX_WEBHOOK_RETRY_SECONDS: '1',
    }
    gateway = await startProcess(env, 'sandbox', [TSX])
    operator = await openOperator(browser, gateway.url)
    operator.page.setDefaultTimeout(20_000)
  })
  after(async () => {
    await operator?.close()
    await browser?.close()
    await gateway?.end('SIGTERM')
    await receiver?.close()
  })

  const windowOf = (name: string): Locator =>
    operator.page.locator('.phone', { has: operator.page.getByRole('heading', { name, exact: true }) })
  const bubbleOf = (name: string, text: string): Locator =>
    windowOf(name).locator('.bubble', { hasText: text })

  it('leads from the printed address to messages both ways, a broken receiver, and its recovery', async () => {
    const { page } = operator
    const address = await eventually(
      () => /http:\/\/\S+\/dashboard\/phones#code=\S+/.exec(gateway.lines.join('\n'))?.[0],
      'the printed address',
    )
    const begun = Date.now()
    await page.goto(address)
    const start = page.getByRole('button', { name: 'Set up two phones and link one' })
    await start.waitFor()
    expect(page.url(), 'the code is gone from the address').to.not.include('code=')
    await recording.shoot(page, 1_500)
    await start.click()
    await page.getByText('The camera of the phone scans this code').waitFor()
    await recording.shoot(page, 1_500)
    await windowOf('Shop').getByText('linked').waitFor()
    await recording.shoot(page, 1_500)
    await windowOf('Ana').getByRole('button', { name: 'Send as Ana' }).click()
    await bubbleOf('Shop', 'Hello Shop!').waitFor()
    await bubbleOf('Ana', 'Hello Shop!').getByText('delivered').waitFor({ state: 'attached' })
    await recording.shoot(page, 2_000)

    const [session] = (await gateway.get('/session/all', admin)).data
    const headers = { ...admin, 'x-session': String(session.Id) }
    const set = await gateway.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] }, headers)
    expect(set.error).to.equal(undefined)
    const answer = page.locator('form', { has: page.getByRole('button', { name: 'Send by the API' }) })
    await answer.getByPlaceholder('Message').fill('Hello Ana, how can I help?')
    await answer.getByRole('button', { name: 'Send by the API' }).click()
    await bubbleOf('Ana', 'how can I help').waitFor()
    await windowOf('Ana')
      .getByRole('button', { name: /^Read \d/ })
      .click()
    await bubbleOf('Shop', 'how can I help').locator('.tick-read').waitFor()
    await recording.shoot(page, 2_000)

    const answered = bubbleOf('Ana', 'how can I help')
    await answered.getByRole('button', { name: 'Actions for' }).click()
    await answered.getByRole('button', { name: 'React with 👍' }).click()
    await bubbleOf('Shop', 'how can I help').locator('.bubble-reactions').waitFor()
    await recording.shoot(page, 1_500)

    // The receiver fails: the event waits, and is delivered when it works again.
    let failures = 0
    receiver.answer(() => {
      failures += 1
      return { status: 500 }
    })
    await windowOf('Ana').getByLabel('Message of Ana').fill('Is anybody there?')
    await windowOf('Ana').getByRole('button', { name: 'Send as Ana' }).click()
    await bubbleOf('Shop', 'Is anybody there?').waitFor()
    await eventually(() => failures > 0, 'the receiver has refused it')
    receiver.answer(() => ({ status: 200 }))
    await receiver.wait(({ body }) => body.includes('Is anybody there?'))
    await eventually(
      () => receiver.deliveries.filter(({ body }) => body.includes('Is anybody there?')).length > failures,
      'delivered after the receiver works again',
    )
    await page.getByLabel('The network is down').check()
    await page.getByRole('status').getByText('open', { exact: true }).waitFor({ state: 'detached' })
    await recording.shoot(page, 2_000)
    await page.getByRole('button', { name: 'End all' }).click()
    await page.getByRole('status').getByText('open', { exact: true }).waitFor()
    await recording.shoot(page, 2_000)

    const shown = bubbleOf('Shop', 'Hello Shop!')
    await shown.getByRole('button', { name: 'Actions for' }).click()
    await shown.getByRole('link', { name: 'Timeline' }).click()
    await page.waitForURL(/\/dashboard\/messages\//)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await recording.shoot(page, 2_500)
    expect(Date.now() - begun, 'milliseconds of the walk').to.be.below(120_000)
    expect(operator.complaints).to.deep.equal([])
    expect(operator.answers.join('\n'), 'what the pages were answered').to.not.include(admin.admintoken)
  })

  it('opens the printed address once only', async () => {
    const address = /http:\/\/\S+\/dashboard\/phones#code=\S+/.exec(gateway.lines.join('\n'))?.[0] ?? ''
    const second = await openOperator(browser, gateway.url)
    await second.page.goto(address)
    await second.page.getByText('This sign-in link is used or expired').waitFor()
    await second.page.getByLabel('Admin token or key').waitFor()
    expect(second.page.url()).to.not.include('code=')
    await second.close()
    const code = new URLSearchParams(new URL(address).hash.slice(1)).get('code')
    expect((await gateway.post('/dashboard/login/code', { Code: code }, {})).status).to.equal(400)
    const marked = await gateway.post('/dashboard/login/code', { Code: code }, { 'X-Wamux-Dashboard': '1' })
    expect(marked).to.include({ status: 401, errorCode: 'DASHBOARD_CODE' })
  })

  it('is recorded as an animated picture small enough for a README', async () => {
    const size = await recording.write(FILE)
    expect(statSync(FILE).size).to.equal(size)
    expect(size).to.be.within(50_000, MAX_BYTES)
  })
})
