import { cpSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { definePlugin, type Plugin, T } from 'wamux/plugin'
import { readersFolder } from '../../docs/reader.ts'
import { hasBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { whole } from '../../support/run/whole.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { chooseSession, enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'
import { keyboardOf } from './keyboard.ts'

/** Has settings of every kind, and a page whose script does not define its element. */
const careless = definePlugin({
  name: 'careless',
  version: '1.0.0',
  api: '^1.0.0',
  contributes: {
    sessionSettings: () => ({
      title: 'Careless <img src=x onerror="window.injected=1">',
      isOnByDefault: false,
      schema: T.Object({
        greeting: T.String({ default: 'Hello', minLength: 2, description: 'First words' }),
        times: T.Integer({ default: 3, minimum: 1, description: 'How often' }),
        tone: T.Union([T.Literal('calm'), T.Literal('loud')], { default: 'calm', description: 'Tone' }),
        words: T.Array(T.String(), { default: [], description: 'Words to look for' }),
        isPolite: T.Boolean({ default: true, description: 'Adds a please' }),
        token: T.Optional(T.String({ writeOnly: true, maxLength: 100, description: 'Token of its server' })),
      }),
    }),
    pages: () => ({
      folder: pathToFileURL(`${temporaryFolder()}/`),
      page: { title: 'Careless', element: 'careless-page', script: 'none.js' },
    }),
  },
})

whole.describe('plugins in the dashboard', () => {
  if (!hasBrowser()) return
  let browser: Browser
  let world: World
  let operator: Operator
  let page: Page
  let id: string
  let headers: Record<string, string>

  before(async () => {
    // Outside this repository's package, as its author has it.
    const { folder } = readersFolder()
    for (const part of ['src', 'page'])
      cpSync(`test/fixtures/auto-responder/${part}`, `${folder}/${part}`, { recursive: true })
    const responder: Plugin = (await import(pathToFileURL(`${folder}/src/index.ts`).href)).default
    ;[world, browser] = await Promise.all([startWorld({ extra: [responder, careless] }), openBrowser()])
    const { data } = await world.gateway.post('/session/init', { Name: 'shop' }, admin)
    await world.gateway.post('/session/init', { Name: 'other' }, admin)
    id = String(data.Id)
    headers = { ...admin, 'X-Session': id }
  })
  beforeEach(async () => {
    operator = await openOperator(browser, world.gateway.url)
    ;({ page } = operator)
  })
  afterEach(async () => {
    expect(await page.evaluate('window.injected')).to.equal(undefined)
    expect(operator.complaints).to.deep.equal([])
    await operator.close()
  })
  after(() => world?.stop())

  it('show the page of one as a custom element, which calls the gateway for the session that is chosen', async () => {
    const keyboard = keyboardOf(page)
    await enter(operator)
    await keyboard.press(page.getByRole('link', { name: 'Automatic answers' }))
    await page.getByRole('heading', { name: 'Automatic answers', level: 1 }).waitFor()
    await page.locator('auto-responder-page').getByRole('alert').waitFor()
    // Without a session the gateway refuses the call of the page, which the browser lists too.
    operator.complaints.length = 0
    await chooseSession(page, 'shop')
    expect(new URL(page.url()).search).to.equal(`?session=${id}`)
    await page.getByRole('alert').waitFor({ state: 'hidden' })
    await keyboard.type(page.getByLabel('Keyword'), 'Open?')
    await keyboard.type(page.getByLabel('Answer'), '<img src=x onerror="window.injected=1">')
    await page.keyboard.press('Enter')
    await page.getByText('open?: <img').waitFor()
    expect((await world.gateway.get('/auto-responder/rules', headers)).data.Rules).to.have.property('open?')
    await picture(page, 'plugin-page')
    await page.reload()
    await page.getByText('open?: <img').waitFor()
  })

  it('say why the page of one can not be shown, and that there is none', async () => {
    await enter(operator, `/pages/careless?session=${id}`)
    await page.getByRole('alert').getByText('The page can not be shown').waitFor()
    await operator.open('/pages/nobody')
    await page.getByText('No plugin named nobody has a page.').waitFor()
    operator.complaints.length = 0
  })

  it('get a form of their settings for each session, which names the fields that are refused', async () => {
    const keyboard = keyboardOf(page)
    const stored = async () =>
      (await world.gateway.get('/session/settings/careless', headers)).data as {
        Enabled: boolean
        Values: object
        Secrets: Record<string, boolean>
      }
    await enter(operator, `/sessions/${id}`)
    await keyboard.press(page.getByRole('link', { name: 'Plugin settings' }))
    const form = page.getByRole('form', { name: 'Careless' })
    await keyboard.press(form.getByRole('switch', { name: 'On in this session' }), 'Space')
    await keyboard.type(form.getByLabel('greeting', { exact: true }), 'x')
    await keyboard.type(form.getByLabel('times', { exact: true }), '0')
    await page.keyboard.press('Enter')
    await form.getByText('At least 2 characters').waitFor()
    await form.getByText('At least 1', { exact: true }).waitFor()
    await picture(page, 'plugin-settings')
    // The first of them has the focus.
    await form.locator('input:focus[aria-invalid="true"]').waitFor()
    expect(await form.locator('input:focus').inputValue()).to.equal('x')
    expect(await stored()).to.deep.include({ Enabled: false })
    operator.complaints.length = 0

    await keyboard.type(form.getByLabel('greeting', { exact: true }), 'Hi')
    await keyboard.type(form.getByLabel('times', { exact: true }), '7')
    await form.getByLabel('tone', { exact: true }).selectOption('loud')
    await keyboard.type(form.getByLabel('words', { exact: true }), 'open')
    await page.keyboard.press('Enter')
    await page.keyboard.type('price')
    await keyboard.press(form.getByRole('button', { name: 'Save' }))
    await form.getByText('Saved.').waitFor()
    const Values = { greeting: 'Hi', times: 7, tone: 'loud', words: ['open', 'price'], isPolite: true }
    expect(await stored()).to.deep.include({ Enabled: true, Values })
    const secret = form.getByLabel('token', { exact: true })
    expect(await secret.getAttribute('type')).to.equal('password')
    await keyboard.type(secret, 'a-secret-token')
    await keyboard.press(form.getByRole('button', { name: 'Save' }))
    await eventually(async () => (await stored()).Secrets['token'] === true, 'stored')
    await page.reload()
    await form.getByPlaceholder('Set; leave empty to keep it').waitFor()
    expect(await secret.inputValue()).to.equal('')
    expect(await page.content()).not.to.include('a-secret-token')
    await keyboard.type(form.getByLabel('times', { exact: true }), '8')
    await keyboard.press(form.getByRole('button', { name: 'Save' }))
    await form.getByText('Saved.').waitFor()
    expect(await stored()).to.deep.include({ Values: { ...Values, times: 8 }, Secrets: { token: true } })
    const other = page.getByRole('form', { name: 'Automatic answers' })
    await other.getByLabel('signature').fill('Your shop')
    await other.getByRole('button', { name: 'Save' }).press('Enter')
    await other.getByText('Saved.').waitFor()
  })
})
