import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { asFunction, definePlugin, type PluginDb } from '../../../kernel/plugin.ts'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    clock: { db: PluginDb }
  }
}

/** Ends the time of logins. */
const clock = definePlugin({
  name: 'clock',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['clock'],
  services: () => ({ clock: asFunction(({ db }: { db: PluginDb }) => ({ db })).singleton() }),
})

/** A page of another origin on the same host: a browser sends it cookies with SameSite=Strict, which is the harder case. */
const attack = (url: string): string => `<!doctype html><title>other</title>
<form id="plain" method="post" action="${url}/session/init" enctype="text/plain">
  <input name='{"Name":"by form", "x":"' value='"}'></form>
<form id="coded" method="post" action="${url}/session/init"><input name="Name" value="by form"></form>
<form id="get" method="get" action="${url}/session/all"></form>
<iframe></iframe>`

/** Resolves with what each attempt of a script of the other origin has got. */
const ATTEMPTS = (url: string): string => `(async () => {
  const got = []
  const attempt = async (name, path, options) => {
    try {
      const response = await fetch(${JSON.stringify(url)} + path, { credentials: 'include', ...options })
      got.push([name, response.type, response.status, await response.text().catch(() => '')])
    } catch (error) {
      got.push([name, 'refused', 0, ''])
    }
  }
  const body = JSON.stringify({ Name: 'by fetch' })
  await attempt('read', '/session/all', {})
  await attempt('read without consent', '/session/all', { mode: 'no-cors' })
  await attempt('write as text', '/session/init', { method: 'POST', mode: 'no-cors', body })
  await attempt('write as json', '/session/init', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  await attempt('write with the header', '/session/init', { method: 'POST', body, headers: { 'x-wamux-dashboard': '1' } })
  await attempt('end the login', '/dashboard/login', { method: 'DELETE', headers: { 'x-wamux-dashboard': '1' } })
  return got
})()`

describe('the dashboard against others', () => {
  if (!hasBrowser()) return
  let browser: Browser
  let world: World
  let operator: Operator
  let page: Page
  let other: Server

  before(async () => {
    ;[world, browser] = await Promise.all([startWorld({ extra: [clock] }), openBrowser()])
    other = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(attack(world.gateway.url))
    }).listen(0, '127.0.0.1')
  })
  beforeEach(async () => {
    operator = await openOperator(browser, world.gateway.url)
    ;({ page } = operator)
  })
  afterEach(() => operator.close())
  after(async () => {
    other?.close()
    await world?.stop()
  })

  const names = async (): Promise<string[]> =>
    (await world.gateway.get('/session/all', admin)).data.map(({ Name }: { Name: string }) => Name)
  const cookie = async (): Promise<string> => {
    const [found] = await operator.context.cookies()
    return `${found?.name}=${found?.value}`
  }

  it('lets a page of another origin change nothing and read nothing, though the browser sends it the cookie', async () => {
    await world.gateway.post('/session/init', { Name: 'secret name' }, admin)
    await enter(operator)
    const evil = await operator.context.newPage()
    const sent: string[] = []
    evil.on('request', async (request) => {
      if (request.url().startsWith(world.gateway.url)) sent.push((await request.allHeaders())['cookie'] ?? '')
    })
    const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
    await evil.goto(origin)
    const got = (await evil.evaluate(ATTEMPTS(world.gateway.url))) as [string, string, number, string][]
    expect(got.map(([name]) => name)).to.have.length(6)
    for (const [name, , status, text] of got) expect([status, text], name).to.deep.equal([0, ''])
    for (const form of ['plain', 'coded', 'get']) {
      await evil.goto(origin)
      const answered = evil.waitForResponse((response) => response.url().startsWith(world.gateway.url))
      await evil.evaluate(`document.getElementById('${form}').submit()`)
      expect((await answered).status(), form).to.be.within(400, 499)
      await evil.waitForURL(`${world.gateway.url}/**`)
    }
    // Else nothing of this would be shown: the browser did send the login.
    await eventually(
      () => sent.some((text) => text.includes('wamux_dashboard=')),
      'a request with the cookie',
    )
    expect(await names()).to.deep.equal(['secret name'])
    // Nor was the login ended.
    await page.reload()
    await page.getByRole('link', { name: 'secret name', exact: true }).waitFor()
    await evil.close()
  })

  it('can not be shown in a frame, and answers no login from the code of a form', async () => {
    await enter(operator)
    const evil = await operator.context.newPage()
    await evil.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    const answered = evil.waitForResponse((response) => response.url().endsWith('/dashboard'))
    await evil.evaluate(`document.querySelector('iframe').src = '${world.gateway.url}/dashboard'`)
    expect((await (await answered).allHeaders())['content-security-policy']).to.include(
      "frame-ancestors 'none'",
    )
    await evil.waitForFunction(`!document.querySelector('iframe').contentDocument`)
    await eventually(async () => (await evil.frames()[1]?.title()) !== 'wamux', 'no page in the frame')
    expect(await evil.frames()[1]?.locator('#app').count()).to.equal(0)
    await evil.close()
  })

  it('notices a login that lapses while a page is open, and comes back to the same address', async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'lapse' }, admin)
    const place = `/sessions/${data.Id}?search=kept`
    await enter(operator, place)
    await page.getByRole('heading', { name: 'lapse', level: 1 }).waitFor()
    await page.getByRole('heading', { name: 'History of states' }).waitFor()
    const address = page.url()
    // Its time is over, as after loginHours.
    const { db } = world.gateway.service('clock')
    await db.transact((trx) => trx('dashboard_logins').update({ expires_at: Date.now() - 1 }))
    await page.getByText('Your login has ended. Log in again to continue.').waitFor()
    expect(page.url()).to.equal(address)
    expect(await page.getByRole('heading', { name: 'lapse' }).count()).to.equal(0)
    await picture(page, 'login-ended')
    // The field has the focus: to go on is to type.
    await page.keyboard.type(admin.admintoken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'lapse', level: 1 }).waitFor()
    expect(page.url()).to.equal(address)
  })

  it('shows the tokens of sessions to no page, not even to that of the administrator', async () => {
    const { data: session } = await world.gateway.post('/session/init', { Name: 'tokens' }, admin)
    expect(session.Token).to.match(/\S{16}/)
    await enter(operator)
    const texts = (await page.evaluate(`(async () => {
      const headers = { 'x-wamux-dashboard': '1', 'content-type': 'application/json' }
      const calls = [
        ['GET', '/session/all'], ['POST', '/session/scanned'], ['GET', '/session/summary'], ['GET', '/keys'],
        ['GET', '/dashboard/login'], ['GET', '/webhook/global'], ['GET', '/server/plugins'],
      ]
      const texts = []
      for (const [method, path] of calls) texts.push(await (await fetch(path, { method, headers })).text())
      const made = { method: 'POST', headers, body: JSON.stringify({ Name: 'made by the page' }) }
      texts.push(await (await fetch('/session/init', made)).text())
      return texts
    })()`)) as string[]
    expect(texts[0]).to.include('tokens')
    const { data: all } = await world.gateway.get('/session/all', admin)
    const made = all.find(({ Name }: { Name: string }) => Name === 'made by the page')
    for (const token of [admin.admintoken, session.Token, made.Token])
      for (const text of texts) expect(text).to.not.include(token)
    // Those who have the token itself get them as before.
    expect(all.find(({ Id }: { Id: string }) => Id === session.Id).Token).to.equal(session.Token)
  })

  it('lets a login do no more than its token: that of a session, or of a key, reads and changes no token', async () => {
    const { data: session } = await world.gateway.post('/session/init', { Name: 'one' }, admin)
    const { data: victim } = await world.gateway.post('/session/init', { Name: 'two' }, admin)
    const given = { Name: 'crm', Scopes: ['read', 'send', 'manage'], Sessions: [session.Id] }
    const { data: key } = await world.gateway.post('/keys', given, admin)
    for (const token of [session.Token, key.Key]) {
      await operator.context.clearCookies()
      await enter(operator, '/', token)
      const headers = { cookie: await cookie(), 'X-Wamux-Dashboard': '1' }
      for (const [method, path] of [
        ['GET', '/session/all'],
        ['POST', '/session/scanned'],
        ['POST', `/session/${victim.Id}/token`],
        ['GET', '/server/audit'],
        ['POST', '/session/init'],
      ] as const) {
        const answer = await world.gateway.call(method, path, {
          headers,
          ...(method === 'POST' ? { body: {} } : {}),
        })
        expect(answer.status, `${method} ${path}`).to.be.within(401, 403)
        expect(JSON.stringify(answer)).to.not.include(victim.Token)
      }
      await page.getByRole('link', { name: 'one', exact: true }).waitFor()
      expect(await page.getByText('two', { exact: true }).count()).to.equal(0)
    }
  })
})
