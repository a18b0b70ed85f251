import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { definePlugin } from '../../../kernel/plugin.ts'
import pacing from '../../../plugins/pacing/index.ts'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'

const LOCALES = ['de-DE', 'pt-BR', 'es-MX', 'id-ID']
const ENGLISH = ['Unlinked', 'Attention', 'Open ', 'Link it again', ' waiting', 'Show 2 more']

describe('what needs attention on the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let browser: Browser
  let world: World
  let receiver: Receiver
  let operator: Operator
  let shop: LinkedSession
  let crm: string | undefined
  const plugin = definePlugin({
    name: 'crm',
    version: '1.0.0',
    api: '^1.0.0',
    contributes: { healthChecks: () => ({ crm: { check: async () => crm } }) },
  })

  before(async () => {
    receiver = await startReceiver()
    const webhook = { retrySeconds: Array(400).fill(0.2), laneBlockSeconds: 0 }
    ;[world, browser] = await Promise.all([
      startWorld({ extra: [pacing, plugin], config: { webhook } }),
      openBrowser(),
    ])
    shop = await world.linked(await world.phone('Shop'))
    operator = await openOperator(browser, world.gateway.url)
    await enter(operator)
  })
  afterEach(() => world.fault({ Fault: 'clear' }))
  after(async () => {
    await operator?.close()
    await world?.stop()
    await receiver?.close()
  })

  const attention = ({ page }: { page: Page }) => page.getByRole('region', { name: 'Attention' })
  const lineOf = (text: string) => attention(operator).getByRole('listitem').filter({ hasText: text })
  const cut = ({ phone }: LinkedSession, fault: Record<string, unknown>): void =>
    world.fault({ Phone: phone.account.phone, ...fault })
  const REMOVED = { Fault: 'streamError', Code: 401, Conflict: 'device_removed' }

  it('is nothing, in one quiet line above the sessions', async () => {
    const { page } = operator
    const line = page.getByText('Nothing needs your attention.')
    await line.waitFor()
    const [above, below] = [await line.boundingBox(), await page.locator('.sessions').boundingBox()]
    expect(above?.y).to.be.lessThan(below?.y ?? 0)
    expect(await attention(operator).getByRole('listitem').count()).to.equal(0)
    await picture(page, 'attention-none')
  })

  it('leads from a session that is unlinked to where it is linked again, and the line ends by itself', async () => {
    const { page } = operator
    cut(shop, REMOVED)
    const line = lineOf('Unlinked')
    await line.getByText('Unlinked Shop', { exact: true }).waitFor()
    await line.getByText('The phone has ended the link. Link it again.').waitFor()
    expect(await line.getByRole('link').count()).to.equal(1)
    await line.getByRole('link', { name: 'Link again' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/link\/[^/]+$/)
    await shop.post('/session/connect', { Immediate: false })
    await shop.phone.scan((await shop.get('/session/qr')).data.QRCode)
    await shop.status({ LoggedIn: true })
    await operator.open('/')
    await page.getByText('Nothing needs your attention.').waitFor()
  })

  it('leads from a receiver that refuses to its webhook, with what waits', async () => {
    const { page } = operator
    await shop.post('/webhook', { WebhookURL: `${receiver.url}?secret=s3cret`, Subscribe: ['Message'] })
    receiver.answer(() => ({ status: 401 }))
    const ana = await world.phone('Ana')
    for (const Text of ['one', 'two', 'three']) await ana.send(shop.phone.account.phone, { Text })
    const line = lineOf('Webhook fails')
    await line.getByText(`Webhook fails Shop · ${new URL(receiver.url).host}`).waitFor()
    await line.getByText('3 waiting').waitFor()
    await line.getByText('status 401').waitFor()
    await line.getByRole('link', { name: 'Open webhook' }).click()
    await page.getByRole('heading', { name: 'Webhooks', exact: true, level: 1 }).waitFor()
    await page
      .getByText(/status 401/)
      .first()
      .waitFor()
    receiver.answer(() => ({ status: 200 }))
    await operator.open('/')
    await page.getByText('Nothing needs your attention.').waitFor()
  })

  it('is one line for each cause, errors first, the rest behind a button', async () => {
    const { page } = operator
    const many = []
    for (const name of ['Berlin', 'Lisboa', 'Madrid', 'Jakarta'])
      many.push(await world.linked(await world.phone(name)))
    for (const one of many) cut(one, REMOVED)
    const names = ['Replaced', 'Banned', 'Refused', 'Restricted']
    const [replaced, banned, refused, restricted] = (await Promise.all(
      names.map(async (name) => world.linked(await world.phone(name))),
    )) as [LinkedSession, LinkedSession, LinkedSession, LinkedSession]
    cut(replaced, { Fault: 'streamError', Conflict: 'replaced' })
    for (const [one, Code] of [
      [banned, 403],
      [refused, 409],
    ] as const) {
      cut(one, { Fault: 'failure', Count: 1, Code })
      cut(one, { Fault: 'drop' })
    }
    cut(restricted, { Fault: 'timelock' })
    const Phone = (await world.phone('Stranger')).account.phone
    await restricted.post('/send/text', { Phone, Body: 'new' })
    receiver.answer(() => ({ status: 500 }))
    const ana = await world.phone('Ana')
    await ana.send(shop.phone.account.phone, { Text: 'waits' })
    crm = 'the CRM is away'
    await eventually(async () => {
      const { data } = await world.gateway.get('/issues', admin)
      return data.Issues.length === 7
    }, 'seven issues')
    await operator.open('/')
    await page.getByRole('button', { name: 'Show 2 more' }).waitFor()
    await picture(page, 'attention')
    await page.getByRole('button', { name: 'Show 2 more' }).click()
    const titles = attention(operator).getByRole('listitem').locator('strong')
    await eventually(async () => (await titles.count()) === 7, 'all lines')
    expect((await titles.allInnerTexts()).at(-1)).to.equal('New chats held')
    await lineOf('Unlinked')
      .getByText(/^Unlinked (\w+, ){2}\w+ and 1 more$/)
      .waitFor()
    await lineOf('Check fails').getByText('Check fails crm', { exact: true }).waitFor()
    await picture(page, 'attention-all')
    await lineOf('Unlinked').getByRole('link', { name: 'Show sessions' }).click()
    await page.waitForURL(/\?state=logged-out$/)
    expect(await page.locator('tr.session').count()).to.equal(4)
  })

  for (const locale of LOCALES)
    it(`has every text in the language of ${locale}`, async () => {
      const reader = await openOperator(browser, world.gateway.url, { locale })
      await enter(reader)
      const card = reader.page.locator('.attention-card')
      await card.waitFor()
      const shown = await card.innerText()
      for (const text of ENGLISH) expect(shown).to.not.include(text)
      await picture(reader.page, `attention-${locale}`)
      await reader.close()
    })

  it('is only about its own session for who has its token', async () => {
    const own = await openOperator(browser, world.gateway.url)
    await enter(own, '/', shop.token)
    await attention(own).getByText('Webhook fails').waitFor()
    expect(await attention(own).getByRole('listitem').count()).to.equal(1)
    expect(own.complaints).to.deep.equal([])
    await own.close()
  })

  it('complained about nothing, and showed no secret', async () => {
    expect(operator.complaints).to.deep.equal([])
    expect(operator.answers.filter((answer) => answer.includes(admin.admintoken))).to.deep.equal([])
    const ofIssues = operator.answers.filter(
      (answer) => answer.includes('"Unanswered"') && answer.includes('Cause'),
    )
    expect(ofIssues.filter((answer) => answer.includes('s3cret'))).to.deep.equal([])
  })
})
