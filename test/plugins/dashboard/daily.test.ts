import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { messageLogged } from '../../support/sessions.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import { chooseSession, enter, type Operator, picture } from './browser.ts'
import { countClicks } from './clicks.ts'
import { operatorPerTest } from './operators.ts'

/**
 * What an operator does every day, from the first screen, in at most four clicks. The other three daily tasks are in
 * session-forms.test.ts (rotate a leaked token, read the log) and keys.test.ts (a key for one chat).
 */
describe('daily tasks on the dashboard, in at most four clicks', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let world: World
  let operator: Operator
  let page: Page
  let shop: LinkedSession
  let ana: Phone
  let receiver: Receiver

  operatorPerTest({
    world: { config: { webhook: { retrySeconds: [0.05], breakerFailures: 500 } } },
    async onWorld(started) {
      world = started
      shop = await world.linked(await world.phone('Shop'))
      await world.linked(await world.phone('Berlin'))
      ana = await world.phone('Ana')
      receiver = await startReceiver()
      await shop.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    },
    async onOperator(opened) {
      operator = opened
      ;({ page } = operator)
      await enter(operator)
      await page.getByRole('link', { name: 'Shop' }).first().waitFor()
    },
  })
  afterEach(() => world.fault({ Fault: 'clear' }))
  after(() => receiver?.close())

  const screen = (name: string) => page.getByRole('link', { name, exact: true })
  const waiting = async (state: string) =>
    (await shop.get(`/webhook/deliveries?State=${state}`)).data.Deliveries.length as number

  /** Two messages that the receiver refused until they were dead letters. */
  async function refuse(...texts: string[]): Promise<void> {
    receiver.answer(() => ({ status: 401 }))
    for (const Text of texts) await ana.send(shop.phone.account.phone, { Text })
    await eventually(async () => (await waiting('dead')) === texts.length, 'they are dead letters')
    receiver.answer(() => ({ status: 200 }))
  }

  it('why is it not connected: the first screen says so, and its button leads to the remedy', async () => {
    const clicks = await countClicks(page)
    world.fault({
      Phone: shop.phone.account.phone,
      Fault: 'streamError',
      Code: 401,
      Conflict: 'device_removed',
    })
    const line = page.getByRole('region', { name: 'Attention' }).getByRole('listitem')
    await line.getByText(/Shop/).waitFor()
    await line
      .getByText(/[Ll]ink it again/)
      .first()
      .waitFor()
    await line.getByRole('link').click()
    await page.waitForURL(/\/link\//)
    await page.getByText('Open WhatsApp on the phone').waitFor()
    await page.getByAltText('QR code to scan with the phone').waitFor()
    await clicks.assertFew()
    await picture(page, 'daily-unlinked')
    expect(await shop.post('/session/connect', { Immediate: false })).to.include({ status: 200 })
    await shop.phone.scan((await shop.get('/session/qr')).data.QRCode)
    await shop.status({ LoggedIn: true })
  })

  it('did it arrive: the message is found by its text or id, with what happened to it', async () => {
    const { data } = await shop.post('/send/text', { Phone: ana.account.phone, Body: 'Your order is ready' })
    await ana.wait(({ id }) => id === data.Id)
    await messageLogged(world.gateway, shop.headers, 'Your order is ready')
    const clicks = await countClicks(page)
    await page.getByRole('button', { name: /^Find/ }).click()
    await page.getByRole('searchbox', { name: 'Find anything' }).fill(data.Id)
    await page.getByRole('list', { name: 'Results' }).getByRole('link', { name: data.Id }).click()
    await page.getByText('Delivered', { exact: true }).first().waitFor()
    await page.getByText('→ Your order is ready').waitFor()
    await clicks.assertFew()
    await picture(page, 'daily-arrived')
  })

  it('replay: what a receiver missed is delivered again', async () => {
    await refuse('missed one', 'missed two')
    const clicks = await countClicks(page)
    await screen('Webhooks').click()
    await chooseSession(page, 'Shop')
    await page.getByRole('button', { name: 'Replay…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('dialog').getByText('2 events replayed.').waitFor()
    await clicks.assertFew()
    await receiver.wait(({ body }) => body.includes('missed two'))
    await eventually(async () => (await waiting('dead')) === 0, 'none is left')
  })

  it('filters: a webhook gets only the events of one chat, after a look at what would pass', async () => {
    const id = (await world.gateway.get('/session/summary', shop.headers)).data.Sessions[0].Id
    await operator.open(`/deliveries?session=${id}`)
    await page.getByRole('link', { name: 'Edit' }).waitFor()
    const clicks = await countClicks(page)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Only these chats').fill(ana.account.phone)
    await page
      .getByRole('region', { name: 'What it would receive' })
      .getByText(/of the/)
      .waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.endpoint').getByText('filtered').waitFor()
    await clicks.assertFew()
    expect((await shop.get('/webhook/endpoints')).data.Endpoints[0].Filter).to.not.deep.equal({})
  })

  it("yesterday's failures: of one session, grouped by receiver and error, replayed by one button", async () => {
    await refuse('failed one', 'failed two', 'failed three')
    const clicks = await countClicks(page)
    await screen('Webhooks').click()
    await page.getByRole('tab', { name: 'Failures' }).click()
    await chooseSession(page, 'Shop')
    const group = page.locator('.failure').filter({ hasText: receiver.url })
    await group.getByRole('button', { name: 'Replay these 3' }).click()
    await group.getByText('3 events replayed.').waitFor()
    await clicks.assertFew()
    await receiver.wait(({ body }) => body.includes('failed three'))
    await picture(page, 'daily-failures')
    await chooseSession(page, 'Berlin')
    await page.getByText('Nothing failed in this time.').waitFor()
  })
})
