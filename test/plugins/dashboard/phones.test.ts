import { expect } from 'chai'
import type { Browser, Locator, Page } from 'playwright-core'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { whole } from '../../support/run/whole.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'

const INJECTION = '<img src=x onerror=document.title="injected">'

describe('the phones of the dashboard', () => {
  if (!hasBrowser()) return
  let browser: Browser
  let world: World
  let operator: Operator
  let page: Page

  before(async () => {
    ;[world, browser] = await Promise.all([startWorld(), openBrowser()])
    operator = await openOperator(browser, world.gateway.url)
    page = operator.page
    page.setDefaultTimeout(60_000)
    await enter(operator, '/phones')
  })
  afterEach(() => {
    expect(operator.complaints).to.deep.equal([])
  })
  after(async () => {
    await operator?.close()
    await world?.stop()
  })

  const windowOf = (name: string): Locator =>
    page.locator('.phone', { has: page.getByRole('heading', { name, exact: true }) })
  const bubbleOf = (name: string, text: string): Locator =>
    windowOf(name).locator('.bubble', { hasText: text })
  const write = async (name: string, text: string): Promise<void> => {
    await windowOf(name).getByLabel(`Message of ${name}`).fill(text)
    await page.keyboard.press('Enter')
  }
  const open = async (name: string, text: string): Promise<Locator> => {
    const bubble = bubbleOf(name, text)
    await bubble.getByRole('button', { name: 'Actions for' }).click()
    return bubble
  }
  const phones = async (): Promise<{ Phone: string; Name: string; Companions: unknown[] }[]> =>
    (await world.gateway.get('/sandbox/phones', admin)).data.Phones

  it('say what to do next while there are none', async () => {
    await page.getByText('To begin you need two phones').waitFor()
    await picture(page, 'phones-empty')
  })

  it('lead with two presses of keys from nothing to a message that both phones show', async () => {
    await page.getByText('To begin you need two phones').waitFor()
    await page.getByRole('button', { name: 'Set up two phones and link one' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('The camera of the phone scans this code').waitFor()
    await windowOf('Shop').getByText('linked').waitFor()
    await windowOf('Ana').getByRole('button', { name: 'Send as Ana' }).focus()
    await page.keyboard.press('Enter')
    await bubbleOf('Shop', 'Hello Shop!').waitFor()
    await bubbleOf('Ana', 'Hello Shop!').getByText('delivered').waitFor({ state: 'attached' })
    // In 24 hours, in English too.
    expect(await bubbleOf('Shop', 'Hello Shop!').locator('time').innerText()).to.match(/^\d\d:\d\d$/)
    const sessions = (await world.gateway.get('/session/all', admin)).data
    expect(sessions).to.have.length(1)
    await page.getByRole('status').getByText('open', { exact: true }).waitFor()
  })

  it('show what the session sends by the interface, and the ticks of who reads it', async () => {
    await page.getByPlaceholder('Message').last().fill('From the API')
    await page.keyboard.press('Enter')
    await bubbleOf('Ana', 'From the API').waitFor()
    await bubbleOf('Shop', 'From the API').waitFor()
    await windowOf('Ana')
      .getByRole('button', { name: /^Read \d/ })
      .click()
    await bubbleOf('Shop', 'From the API').locator('.tick-read').waitFor()
    expect(await bubbleOf('Ana', 'From the API').locator('.tick').count()).to.equal(0)
  })

  it('react, edit and revoke', async () => {
    await write('Ana', 'With a mistkae')
    const received = await open('Shop', 'With a mistkae')
    await received.getByRole('button', { name: 'React with 🎉' }).click()
    await bubbleOf('Ana', 'With a mistkae').locator('.bubble-reactions', { hasText: '🎉' }).waitFor()
    const sent = await open('Ana', 'With a mistkae')
    await sent.getByRole('button', { name: 'Edit', exact: true }).click()
    await windowOf('Ana').getByLabel('New text').fill('Without a mistake')
    await page.keyboard.press('Enter')
    await bubbleOf('Shop', 'Without a mistake').getByText('edited').waitFor()
    const edited = await open('Ana', 'Without a mistake')
    await edited.getByRole('button', { name: 'Revoke' }).click()
    await windowOf('Shop').getByText('This message was revoked.').waitFor()
  })

  whole.it('send pictures, voice and files, which the other phone shows', async () => {
    await windowOf('Ana').getByRole('button', { name: 'Picture' }).click()
    const image = windowOf('Shop').locator('.bubble-image')
    await image.waitFor()
    await eventually(
      async () => (await page.evaluate('document.querySelector(".bubble-image").naturalWidth')) === 320,
      'the picture is loaded',
    )
    await windowOf('Ana').getByRole('button', { name: 'Voice' }).click()
    const audio = windowOf('Shop').locator('audio')
    await audio.waitFor()
    const seconds = await page.evaluate(
      'new Promise((resolve) => { const audio = document.querySelector("audio"); audio.onloadedmetadata = () => resolve(audio.duration); audio.onerror = () => resolve(-1); audio.preload = "auto"; audio.load() })',
    )
    expect(seconds).to.be.closeTo(1, 0.1)
    const chooser = page.waitForEvent('filechooser')
    await windowOf('Ana').getByRole('button', { name: 'File…' }).click()
    await (await chooser).setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('plain') })
    await windowOf('Shop').getByRole('link', { name: 'File, 5 bytes' }).waitFor()
  })

  whole.it('call, and reject the call', async () => {
    await windowOf('Ana').getByRole('button', { name: 'Call Shop' }).click()
    await windowOf('Shop').getByText('Call from Ana · ringing').waitFor()
    await windowOf('Shop').getByRole('button', { name: 'Reject' }).click()
    await windowOf('Ana').getByText('Call to Shop · rejected').waitFor()
  })

  whole.it('block and unblock', async () => {
    await windowOf('Ana').getByRole('button', { name: 'Block', exact: true }).click()
    await windowOf('Ana').getByRole('button', { name: 'Unblock' }).waitFor()
    await write('Shop', 'Nobody reads this')
    await bubbleOf('Shop', 'Nobody reads this').waitFor()
    await windowOf('Ana').getByRole('button', { name: 'Unblock' }).click()
    await write('Shop', 'Read this')
    await bubbleOf('Ana', 'Read this').waitFor()
    expect(await bubbleOf('Ana', 'Nobody reads this').count()).to.equal(0)
  })

  whole.it('switch off and on again: what was sent in between arrives then', async () => {
    await windowOf('Ana').getByRole('button', { name: 'More of Ana' }).click()
    await windowOf('Ana').getByRole('button', { name: 'Switch off' }).click()
    await windowOf('Ana').getByText('The phone is switched off').waitFor()
    await write('Shop', 'Are you there?')
    await bubbleOf('Shop', 'Are you there?').getByText('sent', { exact: true }).waitFor({ state: 'attached' })
    expect(await bubbleOf('Ana', 'Are you there?').count()).to.equal(0)
    await windowOf('Ana').getByRole('button', { name: 'Switch on' }).click()
    await bubbleOf('Ana', 'Are you there?').waitFor()
    await bubbleOf('Shop', 'Are you there?').getByText('delivered').waitFor({ state: 'attached' })
    await windowOf('Ana').getByLabel('Username').fill('ana.lima')
    await page.keyboard.press('Enter')
    await windowOf('Ana').getByText('@ana.lima').waitFor()
    await windowOf('Ana').getByRole('button', { name: 'More of Ana' }).click()
  })

  it('show faults as switches, which break the session and let it recover', async () => {
    const down = page.getByLabel('The network is down')
    await down.focus()
    await page.keyboard.press('Space')
    await page.getByText('1 is on').waitFor()
    await page.getByRole('status').getByText('open', { exact: true }).waitFor({ state: 'detached' })
    expect((await world.gateway.get('/sandbox/faults', admin)).data.Faults).to.deep.equal([{ Fault: 'down' }])
    await page.getByRole('button', { name: 'End all' }).click()
    await page.getByText('0 are on').waitFor()
    await page.getByRole('status').getByText('open', { exact: true }).waitFor()
  })

  it('show every stanza, decoded, and only those that are asked for', async () => {
    await page.getByLabel('Filter by name, tag or attribute').fill('<message')
    await write('Ana', 'On the wire')
    // Later stanzas would be put before the one that is opened.
    await bubbleOf('Shop', 'On the wire').waitFor()
    const line = page.locator('.stanza', { hasText: 'Ana' }).first()
    await line.locator('summary').focus()
    await page.keyboard.press('Enter')
    await line.getByText(/<message id="\w+" type="text"/).waitFor()
    expect(await page.locator('.stanza', { hasText: /presence/ }).count()).to.equal(0)
    await page.getByRole('button', { name: 'Pause' }).click()
    const lines = await page.locator('.stanza').count()
    await write('Ana', 'While it is paused')
    await bubbleOf('Shop', 'While it is paused').waitFor()
    expect(await page.locator('.stanza').count()).to.equal(lines)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByLabel('Filter by name, tag or attribute').fill('')
  })

  whole.it('link a second session by pairing code, and with a passkey', async () => {
    await page.getByLabel('New session').fill('second')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Link Ana by code' }).click()
    await eventually(
      async () => (await phones()).find(({ Name }) => Name === 'Ana')?.Companions.length === 1,
      'linked',
    )
    await page.getByRole('status').getByText('open', { exact: true }).waitFor()
    await page.getByLabel('Linking asks for a passkey').check()
    await page.getByLabel('New session').fill('third')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Scan with Ana' }).click()
    await page.getByRole('button', { name: 'Sign with Ana' }).click()
    await windowOf('Ana').getByText('This phone shows the code').waitFor()
    await page.getByRole('button', { name: 'Equal on Ana' }).click()
    await eventually(
      async () => (await phones()).find(({ Name }) => Name === 'Ana')?.Companions.length === 2,
      'linked',
    )
    await page.getByRole('button', { name: 'End all' }).click()
  })

  it('show names and messages as text, whatever they contain', async () => {
    await page.getByLabel('New phone').fill(INJECTION)
    await page.keyboard.press('Enter')
    await page.getByLabel('Open a window').selectOption({ label: await labelOf(INJECTION) })
    await windowOf(INJECTION).waitFor()
    await write(INJECTION, '<script>document.title="injected"</script><b>bold</b>')
    await windowOf(INJECTION).locator('.bubble', { hasText: '<b>bold</b>' }).waitFor()
    const shop = windowOf('Shop')
    await shop.getByRole('combobox').selectOption({ label: `${INJECTION} (1)` })
    await shop.locator('.bubble', { hasText: '<b>bold</b>' }).waitFor()
    expect(await page.title()).to.equal('Phones · wamux')
    expect(await page.locator('img[src="x"], .bubble b, .bubble script').count()).to.equal(0)
  })

  whole.it('keep a bounded number of messages and stanzas in a long chat', async () => {
    const [shop, ana] = await phones()
    const post = (Text: string) =>
      world.gateway.post(`/sandbox/phones/${ana?.Phone}/messages`, { To: shop?.Phone, Text }, admin)
    await page.goto(`${world.gateway.url}/dashboard/phones?phones=${ana?.Phone},${shop?.Phone}`)
    await windowOf('Ana').locator('.bubble').first().waitFor()
    for (let i = 1; i <= 330; i += 1) await post(`Number ${i}.`)
    await bubbleOf('Ana', 'Number 330.').waitFor()
    expect(await windowOf('Ana').locator('.bubble').count()).to.be.at.most(300)
    expect(await page.locator('.stanza').count()).to.be.at.most(200)
    expect(await bubbleOf('Ana', 'Number 330.').isVisible()).to.equal(true)
  })

  whole.it('have no serious fault of accessibility, in light and dark, and fit a narrow screen', async () => {
    const [shop, ana] = await phones()
    await page.goto(`${world.gateway.url}/dashboard/phones?phones=${shop?.Phone},${ana?.Phone}`)
    await windowOf('Ana').locator('.bubble').first().waitFor()
    await picture(page, 'phones')
  })

  async function labelOf(name: string): Promise<string> {
    const number = await eventually(
      async () => (await phones()).find((one) => one.Name === name)?.Phone,
      'the phone is made',
    )
    return `${name} · ${number}`
  }
})
