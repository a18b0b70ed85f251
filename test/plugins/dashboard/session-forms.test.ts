import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { freePort } from '../../../config/build/port.ts'
import proxy from '../../../plugins/proxy/index.ts'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, type World } from '../../support/world.ts'
import { enter, type Operator, picture } from './browser.ts'
import { countClicks } from './clicks.ts'
import { keyboardOf } from './keyboard.ts'
import { operatorPerTest } from './operators.ts'

describe('the forms of a session on the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let world: World
  let operator: Operator
  let page: Page
  let shop: LinkedSession
  let id: string

  operatorPerTest({
    world: { extra: [proxy] },
    async onWorld(started) {
      world = started
      shop = await world.linked(await world.phone('Shop'))
      id = (await shop.get('/session/summary')).data.Sessions[0].Id
    },
    onOperator: (opened) => {
      operator = opened
      ;({ page } = operator)
    },
  })

  const dialog = (): Locator => page.getByRole('dialog')
  const manage = (): Locator => page.getByRole('region', { name: 'Manage' })
  const summary = async (session = id) => {
    const { data } = await world.gateway.get('/session/summary', admin)
    return data.Sessions.find(({ Id }: { Id: string }) => Id === session)
  }

  it('rotate a leaked token in four clicks: the new one is shown once, and the old one is refused', async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'leaky' }, admin)
    await enter(operator)
    await page.getByRole('link', { name: 'leaky' }).waitFor()
    const clicks = await countClicks(page)
    await page.getByRole('link', { name: 'leaky' }).click()
    await manage().getByRole('button', { name: 'Rotate token' }).click()
    await picture(page, 'session-rotate')
    await dialog().getByRole('button', { name: 'Rotate', exact: true }).click()
    await dialog().getByText('The old token is refused from now on.').waitFor()
    await picture(page, 'session-rotated')
    const token = (await dialog().locator('code').textContent()) ?? ''
    await dialog().getByRole('button', { name: 'Copy' }).click()
    await clicks.assertFew()
    expect((await world.gateway.get('/session/history', { token: data.Token })).status).to.equal(401)
    expect((await world.gateway.get('/session/history', { token })).status).to.equal(200)
    await page.reload()
    await manage().waitFor()
    expect(await page.content()).not.to.include(token)
  })

  it('keep a login by the token of the session when that is rotated, and give the old token its time', async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'own' }, admin)
    await enter(operator, `/sessions/${data.Id}`, data.Token)
    await manage().getByRole('button', { name: 'Rotate token' }).click()
    await dialog().getByLabel('The old one ends').selectOption('In an hour')
    await dialog().getByRole('button', { name: 'Rotate', exact: true }).click()
    await dialog().getByText('The old token is valid until').waitFor()
    await dialog().getByRole('button', { name: 'Close' }).click()
    expect((await world.gateway.get('/session/history', { token: data.Token })).status).to.equal(200)
    await page.reload()
    await manage().waitFor()
    expect(await manage().getByRole('button', { name: 'Delete session' }).count()).to.equal(0)
  })

  it('rename it by keyboard, and change its labels as a whole', async () => {
    const keyboard = keyboardOf(page)
    const { data } = await world.gateway.post(
      '/session/init',
      { Name: 'old name', Labels: { customer: 'acme', stage: 'test' } },
      admin,
    )
    await enter(operator, `/sessions/${data.Id}`)
    await keyboard.press(manage().getByRole('button', { name: 'Rename' }))
    await keyboard.type(dialog().getByLabel('Name'), 'new name')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'new name', level: 1 }).waitFor()

    await keyboard.press(manage().getByRole('button', { name: 'Edit labels' }))
    await keyboard.press(dialog().getByRole('button', { name: 'Remove the label stage' }))
    await keyboard.type(dialog().getByLabel('Value of the label'), 'initech')
    await keyboard.press(dialog().getByRole('button', { name: 'Add a label' }))
    await dialog().getByLabel('Name of the label').nth(1).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('-no')
    await dialog().getByText('Begin with a letter or digit').waitFor()
    expect(await dialog().getByRole('button', { name: 'Save' }).isDisabled()).to.equal(true)
    await keyboard.type(dialog().getByLabel('Name of the label').nth(1), 'region')
    await keyboard.type(dialog().getByLabel('Value of the label').nth(1), 'eu')
    await picture(page, 'session-labels')
    await page.keyboard.press('Enter')
    await manage().getByText('region: eu').waitFor()
    expect((await summary(data.Id)).Labels).to.deep.equal({ customer: 'initech', region: 'eu' })
  })

  it('send a test message, whose state is shown with a link to its timeline', async () => {
    const ana = await world.phone('Ana')
    await enter(operator, `/sessions/${id}`)
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await dialog().getByRole('button', { name: 'Send', exact: true }).click()
    await dialog()
      .getByRole('status')
      .getByText(/Acknowledged|Delivered/)
      .waitFor()
    await dialog().getByLabel('Another number').check()
    await dialog().getByLabel('Number', { exact: true }).fill(`+${ana.account.phone}`)
    await dialog().getByLabel('Text').fill('Is it on?')
    await page.keyboard.press('Enter')
    await dialog().getByRole('status').getByText('Delivered').waitFor()
    await picture(page, 'session-test')
    await ana.wait(({ raw }) => raw.extendedTextMessage?.text === 'Is it on?')
    await dialog().getByRole('link', { name: 'Timeline' }).click()
    await page.waitForURL(/\/messages\//)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  })

  it('say why a test message was not sent', async () => {
    await enter(operator, `/sessions/${id}`)
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await dialog().getByLabel('Another number').check()
    await dialog().getByLabel('Number', { exact: true }).fill('12')
    await dialog().getByRole('button', { name: 'Send', exact: true }).click()
    await dialog().getByRole('alert').getByText('12').waitFor()
    operator.complaints.length = 0
  })

  it('test a proxy before it is stored, and never show its user and password again', async () => {
    const port = await freePort()
    const { data } = await world.gateway.post('/session/init', { Name: 'behind' }, admin)
    await enter(operator, `/sessions/${data.Id}`)
    await manage().getByRole('button', { name: 'Set proxy' }).click()
    await dialog().getByLabel('Host and port').fill(`127.0.0.1:${port}`)
    await dialog().getByLabel('User').fill('otto')
    await dialog().getByLabel('Password').fill('p@ss word')
    await dialog().getByRole('button', { name: 'Test and save' }).click()
    await dialog().getByRole('alert').getByText('did not open a connection').waitFor()
    await picture(page, 'session-proxy')
    operator.complaints.length = 0
    await dialog().getByLabel('Open a connection through it first').uncheck()
    await dialog().getByRole('button', { name: 'Save', exact: true }).click()
    await manage().getByText(`socks5://127.0.0.1:${port}`).waitFor()
    await manage().getByText('with user and password').waitFor()
    await page.reload()
    await manage().getByRole('button', { name: 'Set proxy' }).click()
    expect(await dialog().getByLabel('User').inputValue()).to.equal('')
    expect(await dialog().getByLabel('Password').inputValue()).to.equal('')
    expect(await page.content())
      .to.not.include('p@ss')
      .and.not.include('otto')
    await page.keyboard.press('Escape')
    await manage().getByRole('button', { name: 'Remove proxy' }).click()
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
    await manage().getByRole('button', { name: 'Remove proxy' }).waitFor({ state: 'detached' })
  })

  it('read the log of what failed in one click, found by its error code', async () => {
    for (const [path, body] of [
      ['/send/text', { Phone: '12', Body: 'x' }],
      ['/send/text', { Body: 'x' }],
      ['/message/forward', {}],
    ] as const)
      expect((await shop.post(path, body)).status).to.be.within(400, 499)
    await enter(operator)
    await page.getByRole('link', { name: 'Shop' }).waitFor()
    const clicks = await countClicks(page)
    await page.getByRole('link', { name: 'Shop' }).click()
    const log = page.getByRole('region', { name: 'Failed requests' }).first()
    const row = log.getByRole('row').filter({ hasText: 'POST /message/forward' })
    await row.getByText('Token of the session').waitFor()
    await row.getByRole('link', { name: 'FIELD_MISSING' }).waitFor()
    await log.getByPlaceholder('Route, error code or request id').fill('phone_invalid')
    await row.waitFor({ state: 'detached' })
    await log.getByRole('link', { name: 'PHONE_INVALID' }).first().waitFor()
    await clicks.assertFew()
    await log.getByPlaceholder('Route, error code or request id').fill('/send/text')
    await eventually(async () => (await log.getByText('POST /send/text').count()) >= 2, 'the route')
    await picture(page, 'session')
    await log.getByPlaceholder('Route, error code or request id').fill('/nowhere')
    await log.getByText('No failed request fits.').waitFor()
  })

  it('delete it once its name is typed, after saying what is lost', async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'over' }, admin)
    await enter(operator, `/sessions/${data.Id}`)
    await manage().getByRole('button', { name: 'Delete session' }).click()
    await dialog().getByText('its events, message states and stored files').waitFor()
    const remove = dialog().getByRole('button', { name: 'Delete for good' })
    expect(await remove.isDisabled()).to.equal(true)
    await dialog().getByLabel('Type over to confirm').fill('ove')
    await page.keyboard.press('Enter')
    expect(await summary(data.Id)).to.include({ Name: 'over' })
    await dialog().getByLabel('Type over to confirm').fill('over')
    await picture(page, 'session-delete')
    await remove.click()
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
    expect(await summary(data.Id)).to.equal(undefined)
  })
})
