import { checkPlugin, startTestGateway, type TestGateway } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import plugin from '../src/index.ts'

describe('the plugin hello', () => {
  let gateway: TestGateway
  before(async () => {
    const config = { [plugin.spec.name]: { greeting: 'Welcome' } }
    gateway = await startTestGateway({ plugins: [plugin], config })
  })
  after(() => gateway.stop())

  it('keeps the rules of good plugins', async () => {
    expect(await checkPlugin(plugin)).to.deep.equal([])
  })

  it('greets the given person on their phone, and remembers it', async () => {
    const ana = await gateway.phone({ name: 'Ana' })
    const session = await gateway.session()
    const { data } = await session.post('/hello', { Phone: ana.number, Name: 'Ana' })
    const message = await ana.wait(({ ID }) => ID === data.Id)
    expect(message.Message.extendedTextMessage.text).to.equal('Welcome, Ana!')
    expect((await session.get('/hello')).data).to.deep.equal({ Greeted: [data.Chat] })
  })

  it('sends nothing without a name', async () => {
    const session = await gateway.session()
    const answer = await session.post('/hello', { Phone: session.phone.number })
    expect(answer).to.include({ status: 400, error: 'Missing Name in Payload' })
    expect((await session.get('/hello')).data).to.deep.equal({ Greeted: [] })
  })
})
