import { expect } from 'chai'
import type { Browser, Locator, Page } from 'playwright-core'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import { hasBrowser } from '../../support/browser.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'
import { keyboardOf } from './keyboard.ts'

/** Settings of the kinds that no built-in plugin has. */
const hours = definePlugin({
  name: 'hours',
  version: '1.0.0',
  api: '^1.0.0',
  contributes: {
    sessionSettings: () => ({
      title: 'Opening hours',
      schema: T.Object({
        opens: T.String({
          format: 'time-of-day',
          default: '09:00',
          title: 'Opens',
          description: 'From then on',
        }),
        delay: T.Integer({
          ...{ title: 'Delay', unit: 'seconds', default: 30, minimum: 5, maximum: 600 },
          description: 'Before it answers',
        }),
      }),
    }),
  },
})

describe('the settings of sessions on the dashboard', function () {
  if (!hasBrowser()) return
  this.timeout(120_000)
  let browser: Browser
  let world: World
  let operator: Operator
  let page: Page
  let id: string
  let headers: Record<string, string>

  before(async () => {
    ;[world, browser] = await Promise.all([startWorld({ profile: 'all', extra: [hours] }), openBrowser()])
    const { data } = await world.gateway.post('/session/init', { Name: 'shop' }, admin)
    id = String(data.Id)
    headers = { ...admin, 'X-Session': id }
    operator = await openOperator(browser, world.gateway.url)
    ;({ page } = operator)
    await enter(operator, `/sessions/${id}/settings`)
  })
  after(async () => {
    await operator?.close()
    await world?.stop()
  })

  const form = (name: string): Locator => page.getByRole('form', { name, exact: false })
  const stored = async (plugin: string) =>
    (await world.gateway.get(`/session/settings/${plugin}`, headers)).data.Values

  it('have a title and a description, in every plugin of this repository', async () => {
    const { data } = await world.gateway.get('/session/settings', headers)
    expect(data.Settings.map(({ Plugin }: { Plugin: string }) => Plugin)).to.include.members([
      'calls',
      'cloud-api',
    ])
    for (const { Plugin, Schema } of data.Settings)
      for (const [name, field] of Object.entries<Record<string, unknown>>(Schema.properties)) {
        expect(field['title'], `${Plugin} ${name}`)
          .to.be.a('string')
          .and.match(/^[A-Z]/)
        expect(field['description'], `${Plugin} ${name}`).to.be.a('string')
      }
  })

  it('are switches, choices in words, numbers with their unit and times, with the default in sight', async () => {
    const calls = form('Calls')
    expect(await calls.getByRole('switch', { name: 'Reject calls' }).isChecked()).to.equal(false)
    await calls.getByText('Default: Off').waitFor()
    const choice = form('Cloud API').getByLabel('Reply buttons and lists')
    expect(await choice.locator('option').allInnerTexts()).to.deep.equal([
      'As a poll',
      'As a numbered text',
      'As native buttons',
    ])
    await form('Opening hours').getByText('Default: 30 seconds').waitFor()
    expect(await form('Opening hours').getByLabel('Opens').getAttribute('type')).to.equal('time')
    await picture(page, 'settings')
  })

  it('are changed by keyboard, and put back to their default', async () => {
    const keyboard = keyboardOf(page)
    const own = form('Opening hours')
    await keyboard.type(own.getByLabel('Delay'), '90')
    await own.getByText('Not saved yet').waitFor()
    await keyboard.press(own.getByRole('button', { name: 'Save' }))
    await own.getByText('Saved.').waitFor()
    expect(await stored('hours')).to.deep.equal({ opens: '09:00', delay: 90 })
    await keyboard.press(own.getByRole('button', { name: 'Reset Delay to its default' }))
    await keyboard.press(own.getByRole('button', { name: 'Save' }))
    await own.getByText('Saved.').waitFor()
    expect(await stored('hours')).to.deep.equal({ opens: '09:00', delay: 30 })
    const choice = form('Cloud API')
    await choice.getByLabel('Reply buttons and lists').selectOption('As a numbered text')
    await keyboard.press(choice.getByRole('switch', { name: 'Group messages' }), 'Space')
    await keyboard.press(choice.getByRole('button', { name: 'Save' }))
    await choice.getByText('Saved.').waitFor()
    expect(await stored('cloud-api')).to.include({ interactive: 'text', groups: true, echoes: false })
  })

  it('are refused at their field, by the form and by the plugin', async () => {
    const own = form('Opening hours')
    await own.getByLabel('Delay').fill('2')
    await own.getByRole('button', { name: 'Save' }).click()
    await own.getByText('At least 5').waitFor()
    await own.locator('input:focus[aria-invalid="true"]').waitFor()
    const calls = form('Calls')
    await calls.getByLabel('Never reject').fill('nobody; "x"')
    await calls.getByRole('button', { name: 'Save' }).click()
    await calls.getByText('must be phone numbers or JIDs').waitFor()
    await calls.locator('textarea:focus[aria-invalid="true"]').waitFor()
    await picture(page, 'settings-refused')
    expect(await stored('calls')).to.deep.include({ allow: [] })
    expect(operator.complaints.filter((one) => !/400/.test(one))).to.deep.equal([])
    expect(
      (
        await world.gateway.call('PUT', '/session/settings/hours', {
          headers,
          body: { Values: { opens: '25:00' } },
        })
      ).status,
    ).to.equal(400)
  })
})
