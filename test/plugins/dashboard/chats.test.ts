import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { hasBrowser } from '../../support/browser.ts'
import { startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'
import { keyboardOf } from './keyboard.ts'

/** The plugin that offers the routes; off unless switched on. */
const CHAT_LOG = resolve('plugins/chat-log/index.ts')
const EVIL = '<img src=x onerror="window.injected=1">'

describe('the chats of the dashboard', () => {
  if (!hasBrowser() || !existsSync(CHAT_LOG)) return
  let browser: Browser
  let world: World
  let operator: Operator
  let page: Page
  let ana: Phone
  let shop: string

  before(async () => {
    const { default: chatLog } = await import(pathToFileURL(CHAT_LOG).href)
    ;[world, browser] = await Promise.all([startWorld({ extra: [chatLog] }), openBrowser()])
    const session = await world.linked(await world.phone('Shop'))
    shop = session.phone.account.phone
    ana = await world.phone(`Ana ${EVIL}`)
    operator = await openOperator(browser, world.gateway.url)
    ;({ page } = operator)
  })
  after(async () => {
    await operator?.close()
    await world?.stop()
  })

  it('are read, live, and answered by keyboard alone', async () => {
    const keyboard = keyboardOf(page)
    await ana.send(shop, { Text: `Are you open? ${EVIL}` })
    await enter(operator)
    await keyboard.press(page.getByRole('link', { name: 'Chats' }))
    const chat = page.getByRole('link').filter({ hasText: 'Are you open?' })
    await chat.getByText('1 unread').waitFor()
    await keyboard.press(chat)
    const messages = page.getByRole('region', { name: 'Messages' })
    await messages.getByText('Are you open?').waitFor()
    await ana.send(shop, { Text: 'Hello?' })
    await messages.getByText('Hello?').waitFor()
    await keyboard.type(page.getByPlaceholder('Message'), 'Until six')
    await page.keyboard.press('Enter')
    await ana.wait(({ message }) => JSON.stringify(message).includes('Until six'))
    await messages.getByText('Until six').waitFor()
    await picture(page, 'chats')
    await page.reload()
    await messages.getByText('Until six').waitFor()
    await operator.open('/')
    await page.locator('.frame').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox', { name: 'Find anything' }).waitFor()
    await page.keyboard.type('ana')
    await page.getByRole('link').filter({ hasText: 'Contact · Shop' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/chats\?session=[^&]+&chat=/)
    await messages.getByText('Until six').waitFor()
    expect(await page.locator('main img').count()).to.equal(0)
    expect(await page.evaluate('window.injected')).to.equal(undefined)
    expect(operator.complaints).to.deep.equal([])
  })
})
