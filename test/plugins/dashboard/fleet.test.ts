import { expect } from 'chai'
import type { Browser, Locator, Page } from 'playwright-core'
import { assertFits, hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'
import { keyboardOf } from './keyboard.ts'

const NAMES = ['Berlin', 'Lisboa', 'Madrid', 'Jakarta']
const MANY = 120

describe('the table of sessions on the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let browser: Browser
  let world: World
  let receiver: Receiver
  let operator: Operator
  let page: Page
  const linked: LinkedSession[] = []

  before(async () => {
    receiver = await startReceiver()
    ;[world, browser] = await Promise.all([startWorld(), openBrowser()])
    for (const name of NAMES) linked.push(await world.linked(await world.phone(name)))
    for (const number of Array.from({ length: MANY }, (_, at) => at + 1))
      await world.gateway.post(
        '/session/init',
        { Name: `store ${number}`, Labels: { city: number % 2 ? 'Porto' : 'Köln' } },
        admin,
      )
    operator = await openOperator(browser, world.gateway.url)
    ;({ page } = operator)
    await enter(operator)
  })
  afterEach(() => expect(operator.complaints).to.deep.equal([]))
  after(async () => {
    await operator?.close()
    await world?.stop()
    await receiver?.close()
  })

  const rowOf = (name: string): Locator =>
    page.locator('tr.session', { has: page.getByRole('link', { name, exact: true }) })
  const chip = (name: string) => page.getByRole('button', { name: new RegExp(`^${name} [\\d,]+$`) })
  const head = (name: string) => page.getByRole('columnheader', { name })
  const titles = () => page.locator('.sessions-name a').allInnerTexts()
  const search = () => page.getByPlaceholder('Name, number or label')
  const bar = () => page.getByRole('region', { name: /selected$/ })
  const summaries = async (): Promise<Record<string, string>[]> =>
    (await world.gateway.get('/session/summary', admin)).data.Sessions
  const choose = (name: string) => rowOf(name).getByRole('checkbox')

  it('has a row for each: name, number, state in words, since, last message, what waits, labels', async () => {
    const [berlin] = linked as [LinkedSession]
    receiver.answer(() => ({ status: 500 }))
    await berlin.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    const ana = await world.phone('Ana')
    for (const Text of ['one', 'two']) await ana.send(berlin.phone.account.phone, { Text })
    await berlin.post('/session/update', { Labels: { customer: 'acme' } })
    await eventually(
      async () => (await summaries()).some(({ Pending }) => Number(Pending) === 2),
      'two waiting',
    )
    await operator.open('/')
    const row = rowOf('Berlin')
    await row.getByText('Connected', { exact: true }).waitFor()
    await row.getByText(berlin.phone.account.phone, { exact: true }).waitFor()
    await row.getByRole('cell', { name: '2', exact: true }).waitFor()
    await row.getByText('customer: acme').waitFor()
    await row.locator('.sessions-last time').waitFor()
    await row.locator('.sessions-since time').waitFor()
    expect(await rowOf('Madrid').locator('.sessions-last').innerText()).to.equal('–')
    await picture(page, 'fleet-table')
  })

  it('renders only the rows in sight, as one scrolls and by the arrow keys', async () => {
    const count = () => page.locator('tr.session').count()
    expect(await count()).to.be.within(10, 50)
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).to.equal(
      String(NAMES.length + MANY + 1),
    )
    await page.evaluate('window.scrollTo(0, 100_000)')
    await rowOf('store 120').waitFor()
    expect(await count()).to.be.within(10, 50)
    await page.evaluate('window.scrollTo(0, 0)')
    await page.getByRole('link', { name: 'Berlin', exact: true }).focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Jakarta')
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Berlin')
  })

  it('is filtered by the number of each state and by words, in the address', async () => {
    await chip('Connected').click()
    expect(await titles()).to.deep.equal(['Berlin', 'Jakarta', 'Lisboa', 'Madrid'])
    expect(new URL(page.url()).search).to.equal('?state=open')
    expect(await chip('Connected').getAttribute('aria-pressed')).to.equal('true')
    expect(await chip('All').innerText()).to.equal(`All ${NAMES.length + MANY}`)
    await search().fill('city:porto')
    await page.getByText('No session fits.').waitFor()
    await chip('Stopped').click()
    expect(await chip('Stopped').innerText()).to.equal(`Stopped ${MANY / 2}`)
    await rowOf('store 1').waitFor()
    await page.reload()
    await rowOf('store 3').waitFor()
    expect(await rowOf('store 2').count()).to.equal(0)
    await chip('Stopped').click()
    await search().fill('')
    expect(new URL(page.url()).search).to.equal('')
  })

  it('is sorted by each column in both directions, in the address', async () => {
    await search().fill('store')
    await head('Name').getByRole('button').click()
    expect((await titles()).slice(0, 3)).to.deep.equal(['store 1', 'store 2', 'store 3'])
    await head('Name').getByRole('button').click()
    expect((await titles()).slice(0, 3)).to.deep.equal(['store 120', 'store 119', 'store 118'])
    expect(await head('Name').getAttribute('aria-sort')).to.equal('descending')
    expect(new URL(page.url()).search).to.equal('?search=store&sort=-name')
    await page.reload()
    await rowOf('store 120').waitFor()
    expect((await titles())[0]).to.equal('store 120')
    await head('Name').getByRole('button').click()
    await search().fill('')
    expect(new URL(page.url()).search).to.equal('')
    await head('Labels').getByRole('button').click()
    expect((await titles()).slice(0, 2)).to.deep.equal(['store 2', 'store 4'])
    for (const name of ['Number', 'State', 'Since', 'Last message', 'Waiting']) {
      await head(name).getByRole('button').click()
      expect(await head(name).getAttribute('aria-sort'), name).to.match(/ending$/)
    }
    expect((await titles())[0]).to.equal('Berlin')
    await head('Last message').getByRole('button').click()
    expect((await titles())[0]).to.equal('Berlin')
  })

  it('can be cards instead, and keeps the choice', async () => {
    await operator.open('/')
    await page.getByRole('button', { name: 'Cards' }).click()
    await page.getByRole('heading', { name: 'Berlin' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Berlin' }).waitFor()
    await picture(page, 'fleet-cards')
    await page.getByRole('button', { name: 'Table' }).click()
    await rowOf('Berlin').waitFor()
  })

  it('draws no red for a session that is new, and says what the colours mean', async () => {
    const bar = rowOf('store 1').getByRole('img', { includeHidden: true })
    expect(await bar.getAttribute('aria-label')).to.equal('Stopped or not linked in the last 24 hours')
    expect(await bar.locator('.day-down').getAttribute('d')).to.equal('')
    const own = rowOf('Lisboa').getByRole('img', { includeHidden: true })
    expect(await own.getAttribute('aria-label')).to.match(/^Connected for 100 % of 0\.5 hours/)
    expect(await page.locator('.day-legend').isVisible()).to.equal(false)
    await page.setViewportSize({ width: 1600, height: 900 })
    await rowOf('Lisboa')
      .getByRole('img', { name: /^Connected for 100 %/ })
      .waitFor()
    expect(await page.locator('.day-legend').innerText()).to.match(
      /Connected\s+Partly connected\s+Not connected\s+Stopped, or not linked yet/,
    )
    await picture(page, 'fleet-wide')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('labels all that fit in four clicks, and keeps their other labels', async () => {
    await search().fill('city:porto')
    await page.getByLabel(`Select all ${MANY / 2}`).check()
    await bar()
      .getByText(`${MANY / 2} selected`)
      .waitFor()
    await picture(page, 'fleet-selected')
    await bar().getByRole('button', { name: 'Label' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^store 1, store 3, store 5, store 7 and 56 more$/).waitFor()
    await dialog.getByLabel('Label', { exact: true }).fill('tier')
    await dialog.getByLabel('Value').fill('gold')
    await picture(page, 'fleet-label')
    await dialog.getByRole('button', { name: `Label ${MANY / 2} sessions` }).click()
    await page.getByText(`${MANY / 2} of ${MANY / 2} done`).waitFor()
    const all = (await summaries()) as unknown as { Name: string; Labels: object }[]
    const labels = (name: string) => all.find(({ Name }) => Name === name)?.Labels
    expect(labels('store 7')).to.deep.equal({ city: 'Porto', tier: 'gold' })
    expect(labels('store 8')).to.deep.equal({ city: 'Köln' })
    await page.getByRole('button', { name: 'Close' }).click()
    await bar().getByRole('button', { name: 'Clear the selection' }).click()
    await bar().waitFor({ state: 'detached' })
  })

  it('restarts those chosen, by a range too, and names each that failed with its reason', async () => {
    await operator.open('/?state=open')
    await choose('Berlin').click()
    await choose('Madrid').click({ modifiers: ['Shift'] })
    await bar().getByText('4 selected').waitFor()
    await choose('Jakarta').click()
    // A filter that hides chosen ones leaves them alone.
    await search().fill('store 9')
    await bar().waitFor({ state: 'detached' })
    await chip('All').click()
    await choose('store 9').click()
    await search().fill('')
    await bar().getByText('4 selected').waitFor()
    await bar().getByRole('button', { name: 'Restart' }).click()
    const before = await summaries()
    await page.getByRole('dialog').getByRole('button', { name: 'Restart 4 sessions' }).click()
    await page.getByText('3 of 4 done · 1 of 4 failed').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'store 9 No phone is linked.' }).waitFor()
    await picture(page, 'fleet-failed')
    await page.getByRole('button', { name: 'Try 1 again' }).click()
    await page.getByText('0 of 1 done · 1 of 1 failed').waitFor()
    const changed = async () =>
      (await summaries())
        .filter(({ Id, Since, State }) => {
          const old = before.find((one) => one['Id'] === Id)
          return State === 'open' && old?.['Since'] !== Since
        })
        .map(({ Name }) => Name)
        .sort()
    await eventually(async () => (await changed()).length === 3, 'three restarted')
    expect(await changed()).to.deep.equal(['Berlin', 'Lisboa', 'Madrid'])
    await page.getByRole('button', { name: 'Close' }).click()
  })

  it('stops sessions, sets their webhook with a secret shown once, and creates links', async () => {
    await operator.open('/?search=store+1')
    await choose('store 10').click()
    await choose('store 11').click()
    const dialog = page.getByRole('dialog')
    await bar().getByRole('button', { name: 'Set webhook' }).click()
    await dialog.getByLabel('Address').fill(receiver.url)
    await dialog.getByRole('button', { name: 'Set the webhook of 2 sessions' }).click()
    await page.getByText('2 of 2 done').waitFor()
    await page.getByText('it is not shown again').waitFor()
    expect(await page.locator('.bulk-given code').innerText()).to.match(
      /^store 1[01]\s+whsec_\S+\nstore 1[01]\s+whsec_\S+$/,
    )
    await page.getByRole('button', { name: 'Close' }).click()
    await bar().getByRole('button', { name: 'One-time links' }).click()
    await dialog.getByRole('button', { name: 'Create links for 2 sessions' }).click()
    await page.getByText('2 of 2 done').waitFor()
    expect(await page.locator('.bulk-given code').innerText()).to.match(
      /^store 1[01]\s+http\S+\nstore 1[01]\s+http\S+$/,
    )
    await page.getByRole('button', { name: 'Close' }).click()
    await operator.open('/?state=open')
    await page.getByLabel('Select all 4').check()
    await bar().getByRole('button', { name: 'Stop' }).click()
    await dialog.getByRole('button', { name: 'Stop 4 sessions' }).click()
    await page.getByText('4 of 4 done').waitFor()
    await page.getByText('No session fits.').waitFor()
  })

  it('deletes only after their number is typed', async () => {
    await operator.open('/?search=city:k%C3%B6ln')
    await page.getByLabel(`Select all ${MANY / 2}`).check()
    await bar().getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: `Delete ${MANY / 2} sessions` })
    await dialog.getByText('can not be undone').waitFor()
    expect(await confirm.isDisabled()).to.equal(true)
    await dialog.getByLabel(`Type ${MANY / 2} to confirm`).fill('6')
    await page.keyboard.press('Enter')
    expect(await confirm.isDisabled()).to.equal(true)
    await picture(page, 'fleet-delete')
    await dialog.getByLabel(`Type ${MANY / 2} to confirm`).fill(String(MANY / 2))
    await confirm.click()
    await page.getByText(`${MANY / 2} of ${MANY / 2} done`).waitFor({ timeout: 120_000 })
    await page.getByText('No session fits.').waitFor()
    expect((await summaries()).length).to.equal(NAMES.length + MANY / 2)
  })

  it('is used by keyboard alone', async () => {
    await operator.open('/?search=store+11')
    const keyboard = keyboardOf(page)
    await keyboard.press(choose('store 11'), 'Space')
    await keyboard.press(bar().getByRole('button', { name: 'Restart' }))
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await keyboard.assertFocus('after the dialog is closed')
    await keyboard.press(head('Name').getByRole('button'))
    await keyboard.press(chip('Stopped'))
    await page.waitForURL(/state=offline/)
  })

  it('folds its columns on a phone, without scrolling to the side', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await operator.open('/')
    await rowOf('store 1').waitFor()
    await assertFits(page, 'the table on a phone')
    const [cell, row] = [
      await rowOf('store 1').locator('.sessions-since').boundingBox(),
      await rowOf('store 1').boundingBox(),
    ]
    expect(cell?.y).to.be.greaterThan((row?.y ?? 0) + 30)
    expect(await page.locator('tr.session').count()).to.be.below(40)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('has each session in the choice of other screens, found by a part of its name without accents', async () => {
    await operator.open('/events')
    const keyboard = keyboardOf(page)
    const box = page.getByRole('combobox', { name: 'Session' })
    const shown = () => page.getByRole('listbox').getByRole('option').allInnerTexts()
    await box.click()
    await page.getByText(/^\d+ more fit\. Type to find them\.$/).waitFor()
    expect(await shown()).to.have.lengthOf(50)
    await picture(page, 'choice-open')
    await page.keyboard.press('Escape')
    expect(await box.inputValue()).to.equal('All sessions')
    await world.gateway.post('/session/init', { Name: 'Köln' }, admin)
    await operator.open('/events')
    await keyboard.type(box, 'koln')
    await page.getByRole('option', { name: 'Köln' }).waitFor()
    expect(await shown()).to.have.lengthOf(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(/session=/)
    expect(await box.inputValue()).to.equal('Köln')
    await keyboard.assertFocus('after a session is chosen')
    await box.fill('nowhere')
    await page.getByText('Nothing fits.').waitFor()
    await page.keyboard.press('Tab')
    expect(await box.inputValue()).to.equal('Köln')
  })

  it('is not repeated on the screen of limits: 20 sessions, and the others by name', async () => {
    await operator.open('/health')
    const table = page.getByRole('region', { name: 'Limits of sessions' }).first()
    await table.getByRole('link').first().waitFor()
    expect(await table.getByRole('link').count()).to.equal(20)
    await table.getByPlaceholder('Name or number of a session').fill('store 113')
    await table.getByRole('link', { name: 'store 113', exact: true }).waitFor()
    expect(await table.getByRole('link').count()).to.equal(1)
    await picture(page, 'health-found')
  })

  it('has no check boxes for who may only read', async () => {
    const { data } = await world.gateway.post(
      '/keys',
      { Name: 'reader', Scopes: ['read'], AllSessions: true },
      admin,
    )
    const reader = await openOperator(browser, world.gateway.url)
    await enter(reader, '/', data.Key)
    await reader.page.getByRole('link', { name: 'Berlin', exact: true }).waitFor()
    expect(await reader.page.locator('main').getByRole('checkbox').count()).to.equal(0)
    await reader.close()
  })
})
