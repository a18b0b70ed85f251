import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'
import { operatorPerTest } from './operators.ts'

const LOCALES = ['de-DE', 'pt-BR', 'es-MX', 'id-ID']

describe('webhooks on the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let world: World
  let operator: Operator
  let page: Page
  let shop: LinkedSession
  let shopId: string
  let ana: Phone
  let receiver: Receiver

  operatorPerTest({
    world: { config: { webhook: { retrySeconds: [0.05], breakerFailures: 500 } } },
    async onWorld(started) {
      world = started
      shop = await world.linked(await world.phone('Shop'))
      shopId = (await world.gateway.get('/session/summary', shop.headers)).data.Sessions[0].Id
      ana = await world.phone('Ana')
      receiver = await startReceiver()
    },
    onOperator: (opened) => {
      operator = opened
      ;({ page } = operator)
    },
  })
  after(() => receiver?.close())

  const say = (Text: string): Promise<string> => ana.send(shop.phone.account.phone, { Text })
  const webhooks = async () => (await shop.get('/webhook/endpoints')).data.Endpoints
  const card = (url: string) => page.locator('.endpoint').filter({ hasText: url })

  it('are added by a form, with classes, a filter and its preview, headers and a transform', async () => {
    await say('before the webhook')
    await enter(operator, `/deliveries?session=${shopId}`)
    await page.getByText('This session has no webhook yet.').waitFor()
    await picture(page, 'webhooks-none')
    await page.getByRole('link', { name: 'Add a webhook' }).press('Enter')
    await page.getByLabel('Address').fill(receiver.url)
    const preview = page.getByRole('region', { name: 'What it would receive' })
    await preview.getByText('before the webhook').waitFor()
    const passing = async () => Number(/^\d+/.exec(await preview.getByRole('status').innerText())?.[0])
    const all = await passing()
    await page.getByLabel('Only these', { exact: true }).check()
    await page.getByText('None is chosen').waitFor()
    await page.getByRole('checkbox', { name: /^Message / }).check()
    await eventually(async () => (await passing()) === 1 && all > 1, 'only the message passes')
    await page.getByLabel('Not these chats').fill(ana.account.phone)
    await preview.getByText('filtered out').waitFor()
    await picture(page, 'webhook-form')
    await page.getByLabel('Not these chats').fill('nobody')
    await page.getByLabel('Transform').fill('{"Pick": ')
    const save = page.locator('form').getByRole('button', { name: 'Add a webhook' })
    await save.press('Enter')
    await page.getByText('This is not a JSON object:').waitFor()
    expect(await page.getByLabel('Transform').getAttribute('aria-invalid')).to.equal('true')
    await page.getByLabel('Transform').fill('{"Pick": ["type", "message.text"], "Set": {"a..b": "x"}}')
    await save.press('Enter')
    await page.getByText('"nobody" is neither a phone number nor the JID of a chat').first().waitFor()
    await page.getByLabel('Not these chats').fill('')
    await save.press('Enter')
    await page.getByText('"a..b" is no path').waitFor()
    operator.complaints.length = 0
    await page.getByLabel('Transform').fill('{"Pick": ["type", "message.text"]}')
    await preview.getByRole('button', { name: 'Show the request for Message' }).first().press('Enter')
    const request = page.getByRole('dialog').locator('.answer')
    await request.waitFor()
    expect(JSON.parse(await request.innerText())).to.deep.equal({
      type: 'Message',
      message: { text: 'before the webhook' },
    })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add a header' }).press('Enter')
    await page.getByLabel('Name of the header').fill('Authorization')
    await page.getByLabel('Value of the header').fill('Bearer 4711')
    await save.press('Enter')
    await page.getByText(/^whsec_/).waitFor()
    await picture(page, 'webhook-secret')
    await page.getByRole('link', { name: 'Done' }).press('Enter')
    await card(receiver.url).getByText('Active', { exact: true }).waitFor()
    expect(await page.getByText(/whsec_/).count()).to.equal(0)
    await say('shaped')
    const { body, headers } = await receiver.wait((one) => one.body.includes('shaped'))
    expect(JSON.parse(body)).to.deep.equal({ type: 'Message', message: { text: 'shaped' } })
    expect(headers['authorization']).to.equal('Bearer 4711')
    operator.complaints.length = 0
  })

  it('are changed with what is set, and keep headers that nobody sees', async () => {
    await enter(operator, `/deliveries?session=${shopId}`)
    await card(receiver.url).getByRole('link', { name: 'Edit' }).press('Enter')
    await page.getByText('authorization: •••').waitFor()
    expect(await page.getByRole('checkbox', { name: /^Message / }).isChecked()).to.equal(true)
    await page.getByLabel('Groups', { exact: true }).uncheck()
    await page.getByLabel('Transform').fill('')
    await picture(page, 'webhook-edit')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await card(receiver.url).getByText('filtered').waitFor()
    const [main] = await webhooks()
    expect(main).to.deep.include({ Filter: { Groups: false }, Headers: { authorization: '***' } })
    expect(main).to.not.have.property('Transform')
  })

  it('are paused and resumed on their card, in two clicks, and lose nothing', async () => {
    await enter(operator, `/deliveries?session=${shopId}`)
    await card(receiver.url).getByRole('button', { name: 'Pause' }).press('Enter')
    await card(receiver.url)
      .getByText(/^Paused/)
      .waitFor()
    await say('held')
    await card(receiver.url).getByText('Paused, 1 waiting').waitFor()
    await card(receiver.url).getByRole('button', { name: 'Resume' }).press('Enter')
    await receiver.wait(({ body }) => body.includes('held'))
    await card(receiver.url).getByText('Active', { exact: true }).waitFor()
  })

  it('say what is wrong since when, and are never green while they fail', async () => {
    receiver.answer(() => ({ status: 401 }))
    await say('refused one')
    await say('refused two')
    await enter(operator, `/deliveries?session=${shopId}`)
    const badge = card(receiver.url).locator('.endpoint-head .badge')
    await badge.getByText(/^401 since \d\d:\d\d/).waitFor()
    expect(await badge.getAttribute('class')).to.not.include('badge-good')
    await picture(page, 'webhook-failing')
  })

  it('show what failed by receiver and error, and replay exactly that group: three clicks', async () => {
    await eventually(
      async () => (await shop.get('/webhook/deliveries?State=dead')).data.Deliveries.length === 2,
      'two dead letters',
    )
    await enter(operator, '/')
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('tab', { name: 'Failures' }).click()
    const group = page.locator('.failure').filter({ hasText: receiver.url })
    await group.getByText('401', { exact: true }).waitFor()
    await group.getByText('2 events').waitFor()
    await page.getByLabel('Time', { exact: true }).selectOption('1h')
    expect(new URL(page.url()).search).to.equal('?range=1h')
    await picture(page, 'failures')
    receiver.answer(() => ({ status: 200 }))
    await group.getByRole('button', { name: 'Replay these 2' }).click()
    await group.getByText('2 events replayed.').waitFor()
    await receiver.wait(
      ({ body, headers }) => body.includes('refused') && headers['x-webhook-attempt'] === '1',
    )
    await group.getByText('All delivered since').waitFor()
    await picture(page, 'failures-replayed')
    await group
      .getByRole('link', { name: /^Message/ })
      .first()
      .click()
    await page.getByText('refused two').first().waitFor()
    // Nothing failed in a range of one's own that ended before.
    await operator.open('/deliveries/failures?range=own&since=2020-01-01T00:00&until=2020-01-02T00:00')
    await page.getByText('Nothing failed in this time.').waitFor()
    await picture(page, 'failures-none')
  })

  it('list deliveries and the audit log of a time', async () => {
    await enter(operator, `/deliveries?session=${shopId}`)
    await page.getByRole('cell', { name: 'Message' }).first().waitFor()
    await page.getByLabel('Time', { exact: true }).selectOption('own')
    await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00')
    await page.getByLabel('Until', { exact: true }).fill('2020-01-02T00:00')
    await page.getByText('No delivery fits.').waitFor()
    await picture(page, 'deliveries-range')
    await operator.open('/audit?range=1h')
    await page.getByRole('cell', { name: 'webhook.set' }).first().waitFor()
    await picture(page, 'audit-range')
    await page.getByLabel('Time', { exact: true }).selectOption('own')
    await page.getByLabel('Until', { exact: true }).fill('2020-01-02T00:00')
    await page.getByText('No row fits.').waitFor()
  })

  for (const locale of LOCALES)
    it(`have every text in the language of ${locale}`, async () => {
      const reader = await openOperator(await openBrowser(), world.gateway.url, { locale })
      for (const [name, place] of [
        ['webhook-form', `/deliveries/edit?session=${shopId}&endpoint=main`],
        ['failures', '/deliveries/failures'],
        ['webhooks', `/deliveries?session=${shopId}`],
      ] as const) {
        await enter(reader, place)
        await reader.page.locator('.card').first().waitFor()
        expect(await reader.page.locator('main').innerText()).to.not.match(
          /deliveries\.\w|Replay|Failures|Events/,
        )
        await picture(reader.page, `${name}-${locale}`)
      }
      await reader.close()
    })

  it('are removed after a question that says what is lost', async () => {
    await enter(operator, `/deliveries?session=${shopId}`)
    await card(receiver.url).getByRole('button', { name: 'Remove' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Remove this webhook?' })
    await dialog.getByText('0 waiting events are not delivered to it any more').waitFor()
    await picture(page, 'webhook-remove')
    await dialog.getByRole('button', { name: 'Remove' }).press('Enter')
    await page.getByText('This session has no webhook yet.').waitFor()
    expect(await webhooks()).to.deep.equal([])
    // One for all sessions, by the same form.
    await operator.open('/deliveries/new')
    await page.getByLabel('Address').fill(`${receiver.url}/all`)
    await page.locator('form').getByRole('button', { name: 'Add a webhook' }).press('Enter')
    await page.getByText(/^whsec_/).waitFor()
    const { data } = await world.gateway.get('/webhook/global', admin)
    expect(data.Endpoints[0]).to.include({ URL: `${receiver.url}/all`, State: 'active' })
  })

  it('are listed over all sessions with their state, failing ones first, and lead to one of them', async () => {
    const others = Array.from({ length: 30 }, (_, index) => `branch ${String(index + 10)}`)
    for (const Name of others) {
      const { data } = await world.gateway.post('/session/init', { Name }, admin)
      await world.gateway.post(
        '/webhook',
        { WebhookURL: `${receiver.url}/${data.Id}` },
        { token: data.Token },
      )
    }
    await shop.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    receiver.answer(() => ({ status: 401 }))
    await say('refused at last')
    await receiver.wait(({ body }) => body.includes('refused at last'))
    await enter(operator, '/deliveries')
    await page.getByText('31 webhooks, 1 failing').waitFor()
    const rows = page.getByRole('table').first().locator('tbody tr')
    expect(await rows.count()).to.equal(25)
    await rows
      .first()
      .getByText(/^Failing since \d\d:\d\d/)
      .waitFor()
    await rows.nth(1).getByText('branch 10').waitFor()
    await picture(page, 'webhooks-of-sessions')
    await page.getByRole('button', { name: 'Next page' }).press('Enter')
    await page.getByText('branch 39').waitFor()
    expect(await rows.count()).to.equal(6)
    await page.getByRole('button', { name: 'Previous page' }).press('Enter')
    await rows
      .first()
      .getByText(/^Failing since/)
      .waitFor()
    await rows.first().getByRole('link').press('Enter')
    await card(receiver.url)
      .getByText(/^401 since/)
      .waitFor()
  })
})
