import { checkPlugin, startTestGateway, type TestGateway, type TestSession } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import type { Plugin } from 'wamux/plugin'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { loadExample } from '../support/example.ts'

describe('the example auto-responder', () => {
  let plugin: Plugin
  let gateway: TestGateway
  let session: TestSession
  before(async () => {
    plugin = await loadExample('auto-responder')
    gateway = await startTestGateway({ plugins: [plugin] })
    session = await gateway.session()
    await session.post('/auto-responder/rules', { Keyword: 'Open?', Answer: 'Until six' })
  })
  after(() => gateway.stop())
  const set = (body: object) =>
    gateway.call('PUT', '/session/settings/auto-responder', { body, headers: session.headers })
  const answers = async (): Promise<{ EventId: string; Chat: string; State: string }[]> =>
    (await session.get('/auto-responder/answers')).data.Answers

  it('keeps the rules of good plugins', async () => {
    expect(await checkPlugin(plugin)).to.deep.equal([])
  })

  it('answers by a job, signed as the session has set, and logs an event of its own', async () => {
    await set({ Values: { signature: 'Your shop' } })
    const ana = await gateway.phone({ name: 'Ana' })
    await ana.send(session.phone.number, 'open?')
    const { Message } = await ana.wait(({ FromMe }) => !FromMe)
    expect(JSON.stringify(Message)).to.include('Until six\\nYour shop')
    await eventually(async () => (await answers()).length === 1, 'answer recorded')
    expect((await answers()).map(({ State }) => State)).to.deep.equal(['sent'])
    const { data } = await session.get('/events?class=AutoAnswer')
    const [event] = data.Events
    expect(event.event).to.include({ Keyword: 'open?' })
    const jobs = (await gateway.get('/server/jobs', gateway.admin)).data
    expect(jobs.Queues).to.deep.equal([{ Name: 'auto-responder.answers', Waiting: 0, DeadLetters: 0 }])
    expect(jobs.Schedules.map(({ Name }: { Name: string }) => Name)).to.deep.equal([
      'auto-responder.retention',
    ])
  })

  it('does not answer in a session that has it off', async () => {
    await set({ Enabled: false })
    const bob = await gateway.phone({ name: 'Bob' })
    await bob.send(session.phone.number, 'open?')
    await bob.send(session.phone.number, 'last')
    const logged = async (): Promise<string> => JSON.stringify((await session.get('/events')).data)
    await eventually(async () => (await logged()).includes('"last"'), 'messages logged')
    expect((await gateway.get('/server/jobs', gateway.admin)).data.Queues[0].Waiting).to.equal(0)
    expect(await answers()).to.have.length(1)
    await set({ Enabled: true })
  })

  it('reads rules from a file', async () => {
    const body = new FormData()
    body.set('file', new File(['price?\tTen\n\nhours?\tNine to six\n'], 'rules.tsv'))
    const url = `${gateway.url}/auto-responder/rules/import`
    const response = await fetch(url, { method: 'POST', body, headers: session.headers })
    expect(((await response.json()) as { data: object }).data).to.deep.equal({ Added: 2 })
  })

  it('has a page that a browser shows under the policy of its files', async function () {
    if (!hasBrowser()) return this.skip()
    const [{ Script, Element }] = (await gateway.get('/plugins')).data.Pages
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      // A page of the same origin takes the dashboard's part.
      await page.goto(`${gateway.url}/docs`)
      await page.evaluate(`import(${JSON.stringify(Script)}).then(() => {
        const element = document.createElement(${JSON.stringify(Element)})
        const call = async (method, path, body) => {
          const headers = { token: ${JSON.stringify(session.token)} }
          const response = await fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
          return (await response.json()).data
        }
        element.gateway = { session: undefined, call }
        document.body.replaceChildren(element)
      })`)
      await page.getByText('open?: Until six').waitFor()
      await page.fill('input[name=Keyword]', 'Where?')
      await page.fill('input[name=Answer]', 'Main street')
      await page.click('button')
      await page.getByText('where?: Main street').waitFor()
      expect(errors).to.deep.equal([])
    } finally {
      await browser.close()
    }
  })
})
