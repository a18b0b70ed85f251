import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { asFunction, definePlugin, type PluginDb } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { hasBrowser } from '../../support/browser.ts'
import { messageLogged } from '../../support/sessions.ts'
import { admin, type LinkedSession, type World } from '../../support/world.ts'
import { chooseSession, enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'
import { countClicks } from './clicks.ts'
import { keyboardOf } from './keyboard.ts'
import { operatorPerTest } from './operators.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    keyAge: { age(id: string, ms: number): Promise<void> }
  }
}

const DAY_MS = 86_400_000

/** Makes a key older. */
const keyAge = definePlugin({
  name: 'key-age',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['keyAge'],
  services: () => ({
    keyAge: asFunction(({ db }: { db: PluginDb }) => ({
      age: (id: string, ms: number) =>
        db.transact((trx) => trx('keys_keys').where({ id }).decrement('created_at', ms)),
    })).singleton(),
  }),
})

describe('keys on the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let world: World
  let operator: Operator
  let page: Page
  let shop: LinkedSession
  let ana: Phone

  operatorPerTest({
    world: { extra: [keyAge] },
    async onWorld(started) {
      world = started
      shop = await world.linked(await world.phone('Shop'))
      ana = await world.phone('Ana Lima')
      await ana.send(shop.phone.account.phone, { Text: 'Hello there' })
      await messageLogged(world.gateway, shop.headers, 'Hello there')
      for (const Name of ['Berlin', 'Lisboa'])
        await world.gateway.post('/session/init', { Name, Labels: { customer: 'acme' } }, admin)
    },
    onOperator: (opened) => {
      operator = opened
      ;({ page } = operator)
    },
  })

  const dialog = (): Locator => page.getByRole('dialog')
  const rowOf = (name: string): Locator => page.getByRole('row').filter({ hasText: name })
  const keyOf = async (name: string) => {
    const { data } = await world.gateway.get('/keys', admin)
    return data.Keys.find(({ Name }: { Name: string }) => Name === name)
  }
  const secretOf = async (): Promise<string> => {
    await dialog().getByText('shown only this once').waitFor()
    return (await dialog().locator('code').textContent()) ?? ''
  }

  it('make a key for one chat in four clicks, the chat found by the name of the person', async () => {
    await enter(operator)
    await page.getByRole('link', { name: 'Shop' }).waitFor()
    const clicks = await countClicks(page)
    await page.getByRole('link', { name: 'Shop' }).click()
    await page.getByRole('link', { name: 'New key' }).click()
    await dialog().getByLabel('Name', { exact: true }).fill('partner')
    await dialog().getByRole('combobox', { name: 'Chats' }).focus()
    await page.keyboard.type('lima')
    await dialog().getByRole('option', { name: 'Ana Lima' }).waitFor()
    await picture(page, 'keys-create')
    await page.keyboard.press('Enter')
    await dialog().getByRole('button', { name: 'Create key' }).click()
    const key = await secretOf()
    await dialog().getByRole('button', { name: 'Copy' }).click()
    await clicks.assertFew()
    await dialog().getByRole('button', { name: 'Close' }).click()
    await rowOf('partner').getByText('Ana Lima').waitFor()
    const headers = { token: key }
    const send = (Phone: string) => world.gateway.post('/send/text', { Phone, Body: 'by a key' }, headers)
    expect((await send(ana.account.phone)).status).to.equal(200)
    expect((await send((await world.phone('Bob')).account.phone)).status).to.equal(403)
    expect((await keyOf('partner')).Scopes).to.deep.equal(['read', 'send'])
  })

  it('make one by keyboard: sessions by name, a number that is no contact, and a quick expiry', async () => {
    const keyboard = keyboardOf(page)
    await enter(operator, '/keys')
    await keyboard.press(page.getByRole('button', { name: 'New key' }))
    await dialog().getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await dialog().getByText('Give it a name.').waitFor()
    await dialog().getByText('Choose at least one session.').waitFor()
    await keyboard.type(dialog().getByLabel('Name', { exact: true }), 'desk')
    await dialog().getByText('Give it a name.').waitFor({ state: 'detached' })
    const sessions = dialog().getByRole('combobox', { name: 'Sessions' })
    await keyboard.type(sessions, 'ber')
    await page.keyboard.press('Enter')
    await page.keyboard.type('nothing')
    await dialog().getByText('Nothing fits.').waitFor()
    await page.keyboard.press('Escape')
    await keyboard.type(sessions, 'lis')
    await page.keyboard.press('Enter')
    await keyboard.press(dialog().getByRole('button', { name: 'Remove Lisboa' }))
    await keyboard.type(dialog().getByRole('combobox', { name: 'Chats' }), '+49 151 23456789')
    await page.keyboard.press('Enter')
    await dialog().getByText('4915123456789').waitFor()
    // Radio buttons are one stop, and arrows choose.
    await keyboard.press(dialog().getByLabel('Never'), 'ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await dialog()
      .getByText(/^Valid until /)
      .waitFor()
    await picture(page, 'keys-create-whole')
    await keyboard.press(dialog().getByRole('button', { name: 'Create key' }))
    await secretOf()
    await page.keyboard.press('Escape')
    const { Chats, Sessions, ExpiresAt } = await keyOf('desk')
    expect(Chats).to.deep.equal(['4915123456789@s.whatsapp.net'])
    expect(Sessions).to.have.lengthOf(1)
    expect(Date.parse(ExpiresAt)).to.be.closeTo(Date.now() + 90 * DAY_MS, 120_000)
    await rowOf('desk').getByText('Berlin').waitFor()
  })

  it('make one for a label that ends on a day, and one of the administrator', async () => {
    await enter(operator, '/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog().getByLabel('Name', { exact: true }).fill('acme')
    await dialog().getByLabel('Sessions with a label').check()
    await dialog().getByLabel('Label', { exact: true }).fill('customer:acme')
    await dialog().getByLabel('On a day').first().check()
    await dialog().getByRole('button', { name: 'Create key' }).click()
    await dialog().getByText('Choose a day that is not over.').waitFor()
    const day = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10)
    await dialog().locator('input[type="date"]').fill(day)
    await dialog().getByRole('button', { name: 'Create key' }).click()
    await secretOf()
    await page.keyboard.press('Escape')
    expect(await keyOf('acme')).to.include({ Label: 'customer:acme' })
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog().getByLabel('Name', { exact: true }).fill('operator')
    expect(await dialog().getByLabel('admin', { exact: false }).count()).to.equal(0)
    await dialog().getByLabel('All sessions').check()
    await dialog().getByText('everything of the administrator').click()
    await dialog().getByRole('button', { name: 'Create key' }).click()
    await secretOf()
    await page.keyboard.press('Escape')
    expect((await keyOf('operator')).Scopes).to.include('admin')
  })

  it('list them for one session, mark what expires, and rotate one with time for the old one', async () => {
    const { data: old } = await world.gateway.post(
      '/keys',
      { Name: 'short', Scopes: ['read'], Sessions: ['Shop'], ExpiresIn: 6 * 86_400 },
      admin,
    )
    // A quarter of its life is left, of which the operator is told.
    await world.gateway.service('keyAge').age(old.Id, 30 * DAY_MS)
    await enter(operator, '/keys')
    await rowOf('short').getByText('Expires soon').waitFor()
    await chooseSession(page, 'Shop')
    await rowOf('desk').waitFor({ state: 'detached' })
    await rowOf('operator').getByText('All').first().waitFor()
    await picture(page, 'keys')
    await rowOf('short').getByRole('button', { name: 'Rotate short' }).click()
    await dialog().getByText('gets a new key with the same rights').waitFor()
    await dialog().getByLabel('The old one ends').selectOption('In an hour')
    await picture(page, 'keys-rotate')
    await dialog().getByRole('button', { name: 'Rotate', exact: true }).click()
    const next = await secretOf()
    for (const token of [old.Key, next])
      expect((await world.gateway.get('/session/history', { token })).status).to.equal(200)
  })

  it('revoke one after saying what follows', async () => {
    await enter(operator, '/keys')
    await page.getByRole('button', { name: 'Revoke desk' }).click()
    await dialog().getByText('“desk” is refused from now on').waitFor()
    await picture(page, 'keys-revoke')
    await dialog().getByRole('button', { name: 'Revoke', exact: true }).click()
    await rowOf('desk').waitFor({ state: 'detached' })
    expect(await keyOf('desk')).to.equal(undefined)
  })

  it('are found by name, where there are many', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `customer ${at}`)
    for (const Name of names) {
      const made = await world.gateway.post('/keys', { Name, Scopes: ['read'], AllSessions: true }, admin)
      expect(made.status).to.equal(200)
    }
    await enter(operator, '/keys')
    await page.getByPlaceholder('Name of a key').fill('customer 7')
    await rowOf('customer 6').waitFor({ state: 'detached' })
    await rowOf('customer 7').waitFor()
    expect(new URL(page.url()).search).to.equal('?search=customer+7')
    await page.getByPlaceholder('Name of a key').fill('nothing')
    await page.getByText('Nothing fits.').waitFor()
  })

  it('are made for its own session by who has its token, and not seen by who has a key', async () => {
    await enter(operator, '/keys', shop.token)
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog().getByLabel('Name', { exact: true }).fill('mine')
    expect(await dialog().getByRole('combobox', { name: 'Sessions' }).count()).to.equal(0)
    await dialog().getByRole('button', { name: 'Create key' }).click()
    const key = await secretOf()
    await page.keyboard.press('Escape')
    await rowOf('mine').waitFor()
    const other = await openOperator(await openBrowser(), world.gateway.url)
    await enter(other, '/keys', key)
    await other.page.getByText('no key may see or make keys').waitFor()
    expect(other.complaints).to.deep.equal([])
    await other.close()
  })
})
