import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { SUPPORT } from '../../../plugins/docs/support.ts'
import { hasBrowser, launchProfile, WATCH_POLICY } from '../../support/browser.ts'
import { whole } from '../../support/run/whole.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

describe('documentation page in a browser', () => {
  let world: World
  let browser: BrowserContext
  let page: Page
  const elsewhere: string[] = []
  const complaints: string[] = []

  before(async function () {
    if (!hasBrowser()) return this.skip()
    world = await startWorld()
    const { origin } = new URL(world.gateway.url)
    browser = await launchProfile()
    await browser.route(
      (url) => url.origin !== origin && url.protocol !== 'data:',
      (route) => {
        elsewhere.push(route.request().url())
        return route.abort()
      },
    )
    page = await browser.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`)
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.addInitScript({ content: WATCH_POLICY })
    await page.goto(`${world.gateway.url}/docs`)
    await page.waitForSelector('.opblock-tag')
  })
  after(async () => {
    await browser?.close()
    await world?.stop()
  })
  afterEach(() => {
    expect(elsewhere, 'requests to elsewhere').to.deep.equal([])
    expect(complaints, 'errors in the console').to.deep.equal([])
  })

  /** Unfolds a plugin, and folds it again; only a few lines may be open at once. */
  const opened = async <R>(name: string, look: () => Promise<R>): Promise<R> => {
    const tag = page.locator(`.opblock-tag[data-tag="${name}"]`)
    await tag.click()
    const found = await look()
    await tag.click()
    return found
  }

  whole.it('shows every enabled plugin that has routes, and each of its routes', async () => {
    const plugins = world.gateway.describe().plugins.filter(({ routes }) => routes.length > 0)
    const tags = page.locator('.opblock-tag[data-tag]')
    const names = await tags.evaluateAll((all) => all.map((tag) => tag.getAttribute('data-tag')))
    expect(names).to.have.members(plugins.map(({ name }) => name))
    for (const { name, routes } of plugins) {
      const shown = await opened(name, () =>
        page
          .locator(`.opblock[id^="operations-${name}-"]`)
          .evaluateAll((all) =>
            all.map((block) =>
              ['.opblock-summary-method', '.opblock-summary-path']
                .map((part) => block.querySelector(part)?.textContent?.replace(/\u200b/g, ''))
                .join(' '),
            ),
          ),
      )
      expect(shown, name).to.have.members(
        routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
      )
    }
  })

  it('shows the table of app support', async () => {
    const table = page.locator('#support table')
    expect(await table.isVisible()).to.equal(true)
    expect(await table.locator('tr').count()).to.equal(SUPPORT.length + 1)
    expect(await page.locator('#support').innerText()).to.include('Which apps show which messages')
  })

  /** Tries a call out and gives its status and what came back. */
  const tried = (name: string, operation: string) =>
    opened(name, async () => {
      const block = page.locator(`#operations-${name}-${operation}`)
      await block.locator('.opblock-summary-control').click()
      await block.locator('.try-out__btn').click()
      await block.locator('.execute').click()
      const answer = block.locator('.live-responses-table .response')
      await answer.waitFor()
      return {
        status: await answer.locator('.response-col_status').innerText(),
        body: await answer.locator('.response-col_description').innerText(),
      }
    })

  it('executes a call', async () => {
    const { status, body } = await tried('server', 'getServerOk')
    expect(status).to.match(/^200/)
    expect(body).to.include('"success": true')
  })

  it('sends the entered token, and keeps it while the page is open', async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'tried' }, admin)
    await page.locator('.auth-wrapper .authorize').first().click()
    const box = page.locator('.auth-container', { hasText: 'Token of a session' })
    await box.locator('input').fill(data.Token)
    await box.locator('.authorize').click()
    await page.locator('.btn-done').first().click()
    expect((await tried('webhook', 'getWebhook')).status).to.match(/^200/)
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).not.to.include(data.Token)
  })

  it('runs examples as they stand on the network that `wamux sandbox` begins with', async () => {
    const seeded = await world.gateway.service('sandbox').seed()
    await page.reload()
    await page.waitForSelector('.opblock-tag')
    await page.locator('.auth-wrapper .authorize').first().click()
    const box = page.locator('.auth-container', { hasText: 'Token of a session' })
    await box.locator('input').fill(seeded?.token ?? '')
    await box.locator('.authorize').click()
    await page.locator('.btn-done').first().click()
    const calls = { send: 'sendMediaurl', messages: 'messageDownloadaudio', groups: 'getGroupInfo' }
    for (const [name, operation] of Object.entries(calls)) {
      const { status, body } = await tried(name, operation)
      expect(status, `${operation}: ${body}`).to.match(/^200/)
    }
  })

  it('receives events over a WebSocket, with the token as a subprotocol', async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'socket' }, admin)
    const event = await page.evaluate(`new Promise((resolve, reject) => {
      const url = location.origin.replace('http', 'ws') + '/events/socket'
      const socket = new WebSocket(url, ['wamux', 'token.${data.Token}'])
      socket.onerror = () => reject(new Error('the socket failed'))
      const headers = { token: '${data.Token}', 'content-type': 'application/json' }
      socket.onopen = () => fetch('/session/connect', { method: 'POST', headers, body: '{}' })
      socket.onmessage = (message) => {
        socket.close()
        resolve(JSON.parse(message.data))
      }
    })`)
    expect(event).to.include({ type: 'QR', instanceName: 'socket' })
  })
})
