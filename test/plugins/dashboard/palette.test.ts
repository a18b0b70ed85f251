import { expect } from 'chai'
import { hasBrowser } from '../../support/browser.ts'
import { messageLogged } from '../../support/sessions.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'

describe('the palette of the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let world: World
  let operator: Operator
  let shop: LinkedSession
  let sent = ''
  let number = ''

  before(async () => {
    world = await startWorld()
    shop = await world.linked(await world.phone('Shop'))
    await world.linked(await world.phone('Berlin'))
    const ana = await world.phone('Ana')
    number = ana.account.phone
    const { data } = await shop.post('/send/text', { Phone: number, Body: 'Are you there?' })
    sent = data.Id
    await ana.wait(({ id }) => id === sent)
    await messageLogged(world.gateway, shop.headers, 'Are you there?')
    operator = await openOperator(await openBrowser(), world.gateway.url)
    await enter(operator)
  })
  after(async () => {
    await operator?.close()
    await world?.stop()
  })

  const box = () => operator.page.getByRole('searchbox', { name: 'Find anything' })
  const results = () => operator.page.getByRole('list', { name: 'Results' }).getByRole('link')
  async function find(text: string): Promise<void> {
    await operator.page.locator('.frame').waitFor()
    await operator.page.keyboard.press('Control+k')
    await box().waitFor()
    await operator.page.keyboard.type(text)
  }

  it('opens by Ctrl-K with every screen and session, and closes by Escape', async () => {
    const { page } = operator
    await find('')
    await results().first().waitFor()
    await picture(page, 'palette')
    await page.keyboard.press('Escape')
    await box().waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: /^Find/ }).click()
    await box().waitFor()
    await page.keyboard.press('Escape')
  })

  it('goes to a session by a part of its name, with the arrows', async () => {
    const { page } = operator
    await find('ber')
    await results().filter({ hasText: 'Berlin' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sessions\/[^/]+$/)
    await page.getByText('Berlin').first().waitFor()
  })

  it('goes to a screen by its name', async () => {
    await find('webh')
    await operator.page.keyboard.press('Enter')
    await operator.page.waitForURL(/\/deliveries$/)
  })

  it('answers whether a message arrived, asked by its id in a sentence', async () => {
    const { page } = operator
    await find(`Did ${sent} arrive?`)
    await results().filter({ hasText: sent }).filter({ hasText: 'Message · Shop' }).waitFor()
    await picture(page, 'palette-message')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/messages/[^/]+/${sent}$`))
    await page.getByText('Delivered', { exact: true }).first().waitFor()
  })

  it('goes to an event by its id, and to the events of a number', async () => {
    const { page } = operator
    const { data } = await shop.get('/events?limit=1000&class=Message')
    const { eventId } = data.Events.at(-1)
    await find(eventId)
    await results().filter({ hasText: 'Event · Shop' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`event=${eventId}`))
    await page.getByText('Are you there?').first().waitFor()
    await operator.open('/')
    await find(`+${number}`)
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/events\\?chat=${number}$`))
    await page.getByText('Are you there?').first().waitFor()
  })

  it('goes to the events of a contact by a part of the name, with Control-K, the name and Enter', async () => {
    const { page } = operator
    const bela = await world.phone('Béla Müller')
    await bela.send(shop.phone.account.phone, { Text: 'Is Monday possible?' })
    await messageLogged(world.gateway, shop.headers, 'Is Monday possible?')
    await operator.open('/')
    await find('müll')
    const result = results().filter({ hasText: 'Béla Müller' })
    await result.filter({ hasText: `Contact · Shop · ${bela.account.phone}` }).waitFor()
    await picture(page, 'palette-contact')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/events\?session=[^&]+&chat=/)
    await page.getByText('Is Monday possible?').last().waitFor()
  })

  it('finds the contact that a question names, without the accents of the name', async () => {
    await operator.open('/')
    await find("Did Muller's message arrive?")
    await results().filter({ hasText: 'Béla Müller' }).waitFor()
    await operator.page.keyboard.press('Escape')
  })

  it('goes to the page of an error by its code', async () => {
    const { page } = operator
    await operator.open('/')
    await find('new_chats_held')
    await results().filter({ hasText: 'NEW_CHATS_HELD' }).waitFor()
    await page.keyboard.press('Escape')
    await find('token_invalid')
    await results().filter({ hasText: 'TOKEN_INVALID' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/errors\/TOKEN_INVALID$/)
    await operator.open('/')
  })

  it('says that nothing fits, for an id that is in no log too', async () => {
    await find('3EB0FFFFFFFFFFFFFFFF')
    await operator.page.getByText('Nothing fits.').waitFor()
    expect(await results().count()).to.equal(0)
    await operator.page.keyboard.press('Escape')
  })

  it('finds nothing of other sessions for who has a token', async () => {
    const own = await openOperator(await openBrowser(), world.gateway.url)
    await enter(own, '/', shop.token)
    await own.page.keyboard.press('Control+k')
    await own.page.getByRole('searchbox', { name: 'Find anything' }).fill('ber')
    await own.page.getByText('Nothing fits.').waitFor()
    await own.page.getByRole('searchbox', { name: 'Find anything' }).fill('Béla')
    await own.page.getByRole('link').filter({ hasText: 'Contact · Shop' }).waitFor()
    expect(own.complaints).to.deep.equal([])
    await own.close()
  })

  it('complained about nothing, and showed no token', async () => {
    expect(operator.complaints).to.deep.equal([])
    expect(operator.answers.filter((answer) => answer.includes(admin.admintoken))).to.deep.equal([])
  })
})
