import { expect } from 'chai'
import { loadConfig } from '../../../config/load.ts'
import { hasBrowser } from '../../support/browser.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'
import { whole } from '../../support/run/whole.ts'
import { admin } from '../../support/sessions.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'
import { keyboardOf } from './keyboard.ts'

whole.describe('the composer of a gateway that is live', () => {
  if (!hasBrowser()) return
  let gateway: TestGateway
  let operator: Operator

  before(async () => {
    const { plugins } = await loadConfig({}, {})
    gateway = await startedGateway({ plugins })
    operator = await openOperator(await openBrowser(), gateway.url)
  })
  after(async () => {
    await operator?.close()
    await gateway?.stop()
  })

  it('says that what is run happens, shows no phones, and asks before it removes anything', async () => {
    const { page } = operator
    const keyboard = keyboardOf(page)
    await enter(operator, '/composer?op=POST%20/session/init')
    await page.getByText('Live: what you run here happens on WhatsApp.').waitFor()
    const nav = page.getByRole('navigation', { name: 'Screens' })
    for (const absent of ['Phones', 'Chats'])
      expect(await nav.getByRole('link', { name: absent }).count(), absent).to.equal(0)
    expect(await page.getByText('Sandbox', { exact: true }).count()).to.equal(0)
    await keyboard.type(page.getByLabel('Name', { exact: true }), 'by hand')
    await keyboard.press(page.getByRole('button', { name: 'Run live' }))
    await page.getByText('Done', { exact: true }).waitFor()
    const { data } = await gateway.get('/session/all', admin)
    expect(data.map(({ Name }: { Name: string }) => Name)).to.deep.equal(['by hand'])
    const session = String(data[0].Id)
    await picture(page, 'composer-live')

    await operator.open(`/composer?op=POST%20/session/logout&session=${session}`)
    await keyboard.press(page.getByRole('button', { name: 'Run live' }))
    await page.getByRole('dialog').getByText('POST /session/logout').waitFor()
    await keyboard.press(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }))
    await keyboard.assertFocus('after a dialog that was cancelled')
    expect(await page.getByRole('heading', { name: 'Result' }).count()).to.equal(0)

    // What the gateway refuses is shown in its own words: no phone has linked this session.
    await operator.open(`/composer?op=POST%20/send/text&session=${session}`)
    await keyboard.type(page.getByLabel('Phone *'), '5511999999999')
    await keyboard.type(page.getByLabel('Body *'), 'Hello')
    await keyboard.press(page.getByRole('button', { name: 'Run live' }))
    await page.getByRole('alert').waitFor()
    expect(operator.complaints.filter((text) => !/status of 4\d\d/.test(text))).to.deep.equal([])
  })

  it('hides the screen of chats also at its address, where no plugin offers its routes', async () => {
    await operator.open('/chats')
    await operator.page.getByText('There is nothing at this address.').waitFor()
  })
})
