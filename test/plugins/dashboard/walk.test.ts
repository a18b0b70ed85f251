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
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin } from '../../support/sessions.ts'
import { type Operator, openBrowser, openOperator, PICTURES } from './browser.ts'
import { keyboardOf } from './keyboard.ts'
import { createRecording, writePicture } from './recording.ts'

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
/** The file in the README is this one, stored by hand: `WAMUX_WALK=plugins/dashboard/walk.webp`. */
const FILE = process.env['WAMUX_WALK'] || join(PICTURES, 'walk.webp')
/** Those of the README are stored by hand: `WAMUX_SHOTS=plugins/dashboard`. */
const SHOTS = process.env['WAMUX_SHOTS'] || PICTURES
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
    const env = {
      WAMUX_DATA_DIR: temporaryFolder(),
      // Only what somebody does makes the next attempt.
      WAMUX_WEBHOOK_RETRY_SECONDS: '600',
    }
    ;[browser, receiver, gateway] = await Promise.all([
      openBrowser(),
      startReceiver(),
      startProcess(env, ['sandbox', '--empty'], [TSX]),
    ])
    operator = await openOperator(browser, gateway.url)
    operator.page.setDefaultTimeout(60_000)
  })
  after(async () => {
    await operator?.close()
    await gateway?.end('SIGTERM')
    await receiver?.close()
  })

  const windowOf = (name: string): Locator =>
    operator.page.locator('.phone', { has: operator.page.getByRole('heading', { name, exact: true }) })
  const bubbleOf = (name: string, text: string): Locator =>
    windowOf(name).locator('.bubble', { hasText: text })

  it('leads from the printed address to messages both ways, a broken receiver, and its recovery, by keyboard alone', async () => {
    const { page } = operator
    const keyboard = keyboardOf(page)
    const screen = (name: string): Promise<void> =>
      keyboard.press(page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }))
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
    await keyboard.press(start)
    await page.getByText('The camera of the phone scans this code').waitFor()
    await recording.shoot(page, 1_500)
    await windowOf('Shop').getByText('linked').waitFor()
    await recording.shoot(page, 1_500)
    await keyboard.press(windowOf('Ana').getByRole('button', { name: 'Send as Ana' }))
    await bubbleOf('Shop', 'Hello Shop!').waitFor()
    await bubbleOf('Ana', 'Hello Shop!').getByText('delivered').waitFor({ state: 'attached' })
    await recording.shoot(page, 2_000)

    const answer = page.locator('form', { has: page.getByRole('button', { name: 'Send by the API' }) })
    await keyboard.type(answer.getByPlaceholder('Message'), 'Hello Ana, how can I help?')
    await keyboard.press(answer.getByRole('button', { name: 'Send by the API' }))
    await bubbleOf('Ana', 'how can I help').waitFor()
    await keyboard.press(windowOf('Ana').getByRole('button', { name: /^Read \d/ }))
    await bubbleOf('Shop', 'how can I help').locator('.tick-read').waitFor()
    await keyboard.assertFocus('after the button to read is gone')
    await recording.shoot(page, 2_000)
    const answered = bubbleOf('Ana', 'how can I help')
    await keyboard.press(answered.getByRole('button', { name: 'Actions for' }))
    await keyboard.press(answered.getByRole('button', { name: 'React with 👍' }))
    await bubbleOf('Shop', 'how can I help').locator('.bubble-reactions').waitFor()
    await recording.shoot(page, 1_500)

    await screen('Webhooks')
    await keyboard.type(page.getByRole('combobox', { name: 'Session' }), 'Shop')
    await page.keyboard.press('Enter')
    await keyboard.press(page.getByRole('link', { name: 'Add a webhook' }))
    await keyboard.type(page.getByLabel('Address'), receiver.url)
    await page.keyboard.press('Enter')
    await page.getByText(/^whsec_/).waitFor()
    await keyboard.assertFocus('after a webhook is added')
    await keyboard.press(page.getByRole('link', { name: 'Done' }))
    await page.getByRole('link', { name: receiver.url }).waitFor()
    const deliveries = page.url()

    // The receiver fails: the event waits, and is delivered when it works again.
    const isAsked = (body: string): boolean => body.includes('Is anybody there?')
    receiver.answer(({ body }) => ({ status: isAsked(body) ? 500 : 200 }))
    await screen('Phones')
    await keyboard.type(windowOf('Ana').getByLabel('Message of Ana'), 'Is anybody there?')
    await keyboard.press(windowOf('Ana').getByRole('button', { name: 'Send as Ana' }))
    await bubbleOf('Shop', 'Is anybody there?').waitFor()
    await page.goto(deliveries)
    await page.getByRole('cell', { name: 'status 500' }).waitFor()
    await recording.shoot(page, 2_000)
    await keyboard.press(page.getByRole('button', { name: 'Show attempts' }).first())
    await page.getByRole('dialog').getByText('1. status 500').waitFor()
    await page.keyboard.press('Escape')
    await keyboard.assertFocus('after a dialog')
    receiver.answer(() => ({ status: 200 }))
    const retry = page.getByRole('row', { name: 'status 500' }).getByRole('button', { name: 'Retry now' })
    await keyboard.press(retry)
    await page.getByText('1 event replayed.').waitFor()
    await receiver.wait(({ body, headers }) => isAsked(body) && Number(headers['x-webhook-attempt']) > 1)
    await page.getByRole('cell', { name: 'status 500' }).waitFor({ state: 'detached' })
    await keyboard.assertFocus('after a retry')
    await keyboard.press(page.getByRole('button', { name: 'Replay…' }))
    await keyboard.press(page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }))
    await page.getByRole('dialog').getByText('0 events replayed.').waitFor()
    await page.keyboard.press('Escape')
    await keyboard.assertFocus('after the replay of dead letters')

    await screen('Events')
    await keyboard.press(page.getByRole('link').filter({ hasText: 'Is anybody there?' }).first())
    await keyboard.press(page.getByRole('button', { name: 'Replay', exact: true }))
    const before = receiver.deliveries.filter(({ body }) => isAsked(body)).length
    await keyboard.press(page.getByRole('dialog').getByRole('button', { name: 'Replay it now' }))
    await page.getByRole('dialog').getByText('1 event replayed.').waitFor()
    await recording.shoot(page, 2_000)
    await page.keyboard.press('Escape')
    await keyboard.assertFocus('after a replay')
    await eventually(
      () => receiver.deliveries.filter(({ body }) => isAsked(body)).length > before,
      'the event is delivered again',
    )
    await keyboard.press(page.getByRole('link', { name: 'Timeline' }))
    await page.waitForURL(/\/dashboard\/messages\//)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await recording.shoot(page, 2_500)

    await screen('Phones')
    await keyboard.press(page.getByLabel('The network is down'), 'Space')
    await page.getByRole('status').getByText('open', { exact: true }).waitFor({ state: 'detached' })
    await recording.shoot(page, 2_000)
    await keyboard.press(page.getByRole('button', { name: 'End all' }))
    await page.getByRole('status').getByText('open', { exact: true }).waitFor()
    await recording.shoot(page, 2_000)
    expect(Date.now() - begun, 'milliseconds of the walk').to.be.below(120_000)
    expect(operator.complaints).to.deep.equal([])
    expect(operator.answers.join('\n'), 'what the pages were answered').to.not.include(admin.admintoken)
  })

  it('opens the printed address once only', async () => {
    const address = /http:\/\/\S+\/dashboard\/phones#code=\S+/.exec(gateway.lines.join('\n'))?.[0] ?? ''
    const second = await openOperator(browser, gateway.url)
    await second.page.goto(address)
    await second.page.getByText('This sign-in link was used or has expired').waitFor()
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

  it('leaves pictures of three screens for the README, light and dark', async () => {
    const { page } = operator
    for (const Name of ['Support', 'Berlin office']) await gateway.post('/session/init', { Name }, admin)
    const headers = { ...admin, 'X-Session': 'Support' }
    expect((await gateway.post('/session/connect', {}, headers)).status).to.equal(200)
    const screens: [name: string, open: () => Promise<void>][] = [
      [
        'fleet',
        async () => {
          await operator.open('/')
          await page.locator('.session').getByText('Waiting for a scan').waitFor()
        },
      ],
      [
        'events',
        async () => {
          await operator.open('/events')
          await page.getByRole('link').filter({ hasText: 'Is anybody there?' }).first().click()
          await page.getByRole('tab', { name: 'JSON' }).waitFor()
        },
      ],
      [
        'phones',
        async () => {
          await operator.open('/phones')
          await bubbleOf('Shop', 'how can I help').waitFor()
        },
      ],
    ]
    for (const [name, open] of screens) {
      await open()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const size = await writePicture(page, join(SHOTS, `${name}-${colorScheme}.webp`))
        expect(size, name).to.be.within(5_000, 120_000)
      }
    }
  })
})
