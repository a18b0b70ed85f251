import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { whole } from '../../support/run/whole.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'

const EVIL = '<img src=x onerror="window.injected=1"> javascript:alert(1) {{7*7}}'
const RETRIES = { retrySeconds: [0.3, 600], breakerFailures: 50 }

describe('the inspector of the dashboard', () => {
  if (!hasBrowser()) return
  let browser: Browser
  let world: World
  let operator: Operator
  let page: Page
  let session: LinkedSession
  let shop: string
  let id: string
  let ana: Phone
  let receiver: Receiver

  before(async () => {
    ;[world, browser] = await Promise.all([startWorld({ config: { webhook: RETRIES } }), openBrowser()])
    session = await world.linked(await world.phone('Shop'))
    shop = session.phone.account.phone
    ana = await world.phone(EVIL)
    receiver = await startReceiver()
    await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    id = (await world.gateway.get('/session/all', admin)).data[0].Id
  })
  beforeEach(async () => {
    operator = await openOperator(browser, world.gateway.url)
    ;({ page } = operator)
  })
  afterEach(async () => {
    expect(await page.evaluate('window.injected')).to.equal(undefined)
    expect(operator.complaints).to.deep.equal([])
    await operator.close()
  })
  after(async () => {
    await receiver?.close()
    await world?.stop()
  })

  const row = (text: string) => page.getByRole('link').filter({ hasText: text }).first()

  it('shows a message live, its timeline, and follows it through a broken receiver until it is resent', async () => {
    await enter(operator, '/events')
    await page.getByRole('status').getByText('Live').waitFor()
    receiver.answer(({ body }) =>
      body.includes('Are you open') ? { status: 500, body: EVIL } : { status: 200 },
    )
    await ana.send(shop, { Text: `Are you open? ${EVIL}` })
    await row('Are you open?').waitFor()

    // By keyboard alone: to the row, into it, to its timeline.
    await row('Are you open?').focus()
    await page.keyboard.press('Enter')
    await page.getByText('Paused.').waitFor()
    await page.getByRole('tab', { name: 'JSON' }).waitFor()
    expect(new URL(page.url()).searchParams.get('event')).to.match(/^evt_/)
    expect(await page.locator('.events-detail a[href^="javascript"], .events-detail img').count()).to.equal(0)
    await picture(page, 'inspector')
    await page.getByRole('link', { name: 'Timeline' }).focus()
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Message', level: 1 }).waitFor()
    await page.getByText('Received and stored').waitFor()
    await page.getByText('Logged as an event').waitFor()
    await page.getByText('2. status 500').waitFor()
    await page.getByText('Next attempt').waitFor()
    await picture(page, 'message')

    receiver.answer(() => ({ status: 200 }))
    await operator.open(`/deliveries?session=${id}`)
    await page.getByRole('link', { name: receiver.url }).waitFor()
    await page.getByRole('cell', { name: 'status 500' }).waitFor()
    await picture(page, 'deliveries')
    await page.getByRole('button', { name: 'Show attempts' }).first().press('Enter')
    await page.getByRole('dialog').getByText('1. status 500').waitFor()
    expect(await page.getByRole('dialog').locator('.answer').first().textContent()).to.equal(EVIL)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Retry now' }).press('Enter')
    await page.getByText('1 event replayed.').waitFor()
    await page.getByRole('cell', { name: 'status 200' }).first().waitFor()
    await receiver.wait(
      ({ body, headers }) => body.includes('Are you open') && headers['x-webhook-attempt'] === '3',
    )

    // Everything again, which has to be confirmed.
    await page.getByRole('button', { name: 'Replay…' }).press('Enter')
    await page.getByLabel('Everything, also what was accepted').check()
    const run = page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true })
    expect(await run.isDisabled()).to.equal(true)
    await page.getByLabel(/I understand that the webhook gets events again/).check()
    const before = receiver.deliveries.length
    await run.press('Enter')
    await page
      .getByRole('dialog')
      .getByText(/replayed/)
      .waitFor()
    await page.keyboard.press('Escape')
    await eventually(() => receiver.deliveries.length > before, 'delivered again')
  })

  it('keeps its rows apart when the window becomes narrow', async () => {
    await enter(operator, '/events')
    await page.locator('.events-row').nth(2).waitFor()
    const overlap = () =>
      page.evaluate<number>(`(() => {
        const [a, b] = [...document.querySelectorAll('.events-row')].map((one) => one.getBoundingClientRect())
        return a.bottom - b.top
      })()`)
    expect(await overlap()).to.be.at.most(1)
    await page.setViewportSize({ width: 390, height: 844 })
    await eventually(async () => (await overlap()) <= 1, 'the rows stand apart')
  })

  whole.it('sends a test, rotates the secret and shows both outcomes', async () => {
    receiver.answer(() => ({ status: 418, body: 'teapot' }))
    await enter(operator, `/deliveries?session=${id}`)
    await page.getByRole('button', { name: 'Send a test' }).press('Enter')
    await page.getByRole('button', { name: 'Send the test' }).press('Enter')
    await page.getByRole('alert').getByText('status 418').waitFor()
    await page.getByText('teapot').waitFor()
    await picture(page, 'deliveries-test')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Rotate the secret' }).press('Enter')
    await page.getByRole('button', { name: 'Make a new secret' }).press('Enter')
    await page.getByText(/^whsec_/).waitFor()
    await page.getByText(/The old one is valid until/).waitFor()
    await page.keyboard.press('Escape')
    receiver.answer(() => ({ status: 200 }))
  })

  whole.it('keeps filters in the address, and finds a message by its id', async () => {
    const message = await ana.send(shop, { Text: 'needle' })
    await enter(operator, '/events')
    await row('needle').waitFor()
    await page.getByLabel('Event or message id').fill(message)
    await page.getByLabel('Type').fill('Message')
    await page.keyboard.press('Enter')
    await page.getByText('1 event', { exact: true }).waitFor()
    expect(new URL(page.url()).search).to.include(`id=${message}`).and.to.include('type=Message')
    await page.reload()
    await row('needle').waitFor()
    await page.getByLabel('Type').fill('Nonsense')
    await page.keyboard.press('Enter')
    await page.getByText('no enabled plugin has the event type "Nonsense"').first().waitFor()
    operator.complaints.length = 0
  })

  it('replays one event, and all from a cursor on, to the webhook that is chosen', async () => {
    const deliveriesOf = (text: string): number =>
      receiver.deliveries.filter(({ body }) => body.includes(text)).length
    for (const text of ['cursor one', 'cursor two', 'cursor three']) await ana.send(shop, { Text: text })
    await receiver.wait(({ body }) => body.includes('cursor three'))
    await enter(operator, '/events')
    await row('cursor two').press('Enter')
    await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Replay' })
    await dialog.getByRole('button', { name: 'Replay it now' }).press('Enter')
    await dialog.getByText('1 event replayed.').waitFor()
    await eventually(() => deliveriesOf('cursor two') === 2, 'one event again')
    await dialog.getByLabel('This event and everything after it').press('Space')
    await dialog.getByText('with the same ids. That may be many.').waitFor()
    expect(await dialog.getByLabel('To').locator('option').allTextContents()).to.deep.equal([receiver.url])
    await picture(page, 'inspector-replay')
    await dialog.getByRole('button', { name: 'Replay all of them' }).press('Enter')
    await dialog.getByText('2 events replayed.').waitFor()
    await eventually(
      () => deliveriesOf('cursor three') === 2 && deliveriesOf('cursor two') === 3,
      'both again',
    )
    expect(deliveriesOf('cursor one')).to.equal(1)
    await page.keyboard.press('Escape')
  })

  whole.it('adds a webhook for all sessions, shows its secret once, and how its deliveries go', async () => {
    const all = await startReceiver()
    try {
      await enter(operator, '/deliveries')
      await page.getByText('No webhook gets the events of all sessions.').waitFor()
      await page.getByRole('link', { name: 'Add a webhook' }).press('Enter')
      await page.getByLabel('Address').fill(all.url)
      await page.keyboard.press('Enter')
      await page.getByText(/^whsec_/).waitFor()
      await page.getByRole('link', { name: 'Done' }).press('Enter')
      await ana.send(shop, { Text: 'for all' })
      await all.wait(({ body }) => body.includes('for all'))
      await page.getByRole('link', { name: all.url }).waitFor()
      await page.getByText(/^\d+ of the last \d+ accepted$/).waitFor()
      await page.getByRole('cell', { name: 'status 200' }).first().waitFor()
      await picture(page, 'deliveries-global')
      await page.reload()
      await page.getByRole('link', { name: all.url }).waitFor()
      expect(await page.getByText(/whsec_/).count()).to.equal(0)
      all.answer(() => ({ status: 200 }))
      await page.getByRole('button', { name: 'Send a test' }).press('Enter')
      await page.getByRole('button', { name: 'Send the test' }).press('Enter')
      await page.getByText('Accepted:').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Replay', exact: true }).first().press('Enter')
      await page.getByText('1 event replayed.').waitFor()
    } finally {
      await all.close()
    }
  })

  it('composes a message, shows it as code, sends it once, and leads to its timeline', async () => {
    await enter(operator, `/composer?session=${id}`)
    await page.getByText('Sandbox: nothing leaves this machine').waitFor()
    await page.getByLabel('Phone *').fill(ana.account.phone)
    await page.getByLabel('Body *').fill(`It's "open" ${EVIL}`)
    const code = page.locator('.composer-code code')
    expect(await code.textContent())
      .to.include(`It'\\''s \\"open\\"`)
      .and.to.include('Idempotency-Key: ')
    await page.getByRole('tab', { name: 'curl' }).press('ArrowRight')
    expect(await code.textContent()).to.include(`import { createClient } from '@wamux/client'`)
    expect(await code.textContent()).to.include('idempotencyKey: ')
    await page.getByRole('tab', { name: 'TypeScript' }).press('ArrowRight')
    expect(await code.textContent()).to.include('requests.request(')
    await picture(page, 'composer')
    await page.getByRole('button', { name: 'Run in the sandbox' }).press('Enter')
    await page.getByText('Done', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Timeline' }).press('Enter')
    await page.getByText('Acknowledged by the server').waitFor()
    await page.getByText('Delivered', { exact: true }).first().waitFor()
    await picture(page, 'message-sent')
    await ana.wait(({ message }) => JSON.stringify(message).includes('open'))
  })
})
