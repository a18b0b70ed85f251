import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'

describe('names in place of ids on the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let browser: Browser
  let world: World
  let operator: Operator
  let page: Page
  let shop: LinkedSession
  let ana: Phone
  let eva: Phone
  let id: string

  before(async () => {
    ;[world, browser] = await Promise.all([startWorld(), openBrowser()])
    shop = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana')
    eva = await world.phone('Eva')
    await shop.phone.act({ Action: 'contact', Chat: ana.account.jid, Text: 'Ana of the bakery' })
    await ana.send(shop.phone.account.phone, { Text: 'hello from Ana' })
    await eva.send(shop.phone.account.phone, { Text: 'hello from Eva' })
    id = (await shop.get('/session/summary')).data.Sessions[0].Id
    await eventually(async () => {
      const contacts = Object.values((await shop.get('/user/contacts')).data) as {
        FullName: string
        PushName: string
      }[]
      const has = (name: string) => contacts.some((one) => [one.FullName, one.PushName].includes(name))
      return has('Ana of the bakery') && has('Eva')
    }, 'the contacts')
    operator = await openOperator(browser, world.gateway.url)
    ;({ page } = operator)
    await enter(operator)
  })
  afterEach(() => expect(operator.complaints).to.deep.equal([]))
  after(async () => {
    await operator?.close()
    await world?.stop()
  })

  it('are those of sessions and keys in the audit log, which can be searched', async () => {
    const { data } = await world.gateway.post(
      '/keys',
      { Name: 'crm', Scopes: ['manage'], Sessions: [id] },
      admin,
    )
    await world.gateway.post('/session/update', { Labels: { tier: 'gold' } }, { token: data.Key })
    await operator.open('/audit')
    const row = page.getByRole('row').filter({ hasText: 'session.update' })
    await row.getByRole('cell', { name: 'key crm' }).waitFor()
    await row.getByRole('link', { name: 'Shop', exact: true }).waitFor()
    expect(await row.getByRole('link', { name: 'Shop' }).getAttribute('title')).to.equal(id)
    await picture(page, 'audit-names')
    await page.getByPlaceholder('Actor, action, target…').fill('shop')
    await page.getByRole('row').filter({ hasText: 'dashboard.login' }).waitFor({ state: 'detached' })
    await row.waitFor()
    await row.getByRole('link', { name: 'Shop' }).click()
    await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor()
  })

  it('are those of the sessions of a key', async () => {
    await operator.open('/keys')
    await page
      .getByRole('row')
      .filter({ hasText: 'crm' })
      .getByRole('cell', { name: 'Shop', exact: true })
      .waitFor()
  })

  it('are those of contacts in events: as they are saved, with the number', async () => {
    await operator.open('/events?type=Message')
    const row = (text: string) => page.locator('.events-row').filter({ hasText: text })
    await row('hello from Ana').getByText(`Ana of the bakery · ${ana.account.phone}`).waitFor()
    await row('hello from Eva').getByText(`Eva · ${eva.account.phone}`).waitFor()
    await row('hello from Ana').getByRole('link').click()
    await page.getByText(`${ana.account.lid} Ana of the bakery · ${ana.account.phone}`).first().waitFor()
    await picture(page, 'events-names')
  })

  it('are those of contacts on the timeline of a message, also of members of a group', async () => {
    const { data: group } = await shop.post('/group/create', {
      Name: 'Team',
      Participants: [ana.account.phone, eva.account.phone],
    })
    const { data } = await shop.post('/send/text', { Phone: group.JID, Body: 'to the team' })
    await operator.open(`/messages/${id}/${data.Id}`)
    const steps = page.getByRole('region', { name: 'Timeline' })
    await steps.getByText(`Ana of the bakery · ${ana.account.phone}`).first().waitFor()
    await steps.getByText(`Eva · ${eva.account.phone}`).first().waitFor()
    expect(await steps.innerText()).to.not.match(/@lid|@s\.whatsapp\.net/)
    await picture(page, 'message-names')
  })

  it('are looked up once for many rows', async () => {
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/user/contacts')) asked.push(request.url())
    })
    for (let number = 0; number < 20; number += 1)
      await ana.send(shop.phone.account.phone, { Text: `more ${number}` })
    await operator.open('/events?type=Message')
    await page
      .locator('.events-row')
      .filter({ hasText: 'more 19' })
      .getByText('Ana of the bakery')
      .first()
      .waitFor()
    await page
      .locator('.events-row')
      .filter({ hasText: 'hello from Eva' })
      .getByText(`Eva · ${eva.account.phone}`)
      .waitFor()
    expect(asked.length).to.be.within(1, 3)
  })
})
