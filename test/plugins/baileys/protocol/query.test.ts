import { expect } from 'chai'
import { definePlugin } from '../../../../kernel/plugin.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

const iq = (
  xmlns: string,
  content: { tag: string; attrs: Record<string, string> }[],
  to = 's.whatsapp.net',
) => ({
  tag: 'iq',
  attrs: { to, type: 'get', xmlns },
  content,
})

const NO_GROUP = '1203630000000000@g.us'

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe/ping', {
      summary: 'One query',
      handle: async ({ session }) =>
        session.socket.query(iq('w:p', [{ tag: 'ping', attrs: {} }]), 'ping', 300),
    }),
    r.post('/probe/group', {
      summary: 'A query that is refused',
      handle: async ({ session }) =>
        session.socket.query(iq('w:g2', [{ tag: 'query', attrs: {} }], NO_GROUP), 'read the group'),
    }),
  ],
})

describe('query', () => {
  let world: World
  let session: LinkedSession
  before(async () => {
    world = await startWorld({ extra: [probe] })
    session = await world.linked(await world.phone('Ana'))
  })
  after(() => world.stop())

  it('rejects when it is not answered, where unpatched Baileys resolves with undefined', async () => {
    expect(await session.post('/probe/ping')).to.include({ success: true })
    world.fault({ Phone: session.phone.account.phone, Fault: 'silent' })
    expect(await session.post('/probe/ping')).to.include({
      status: 504,
      error: 'WhatsApp did not answer in time',
    })
    world.fault({ Phone: session.phone.account.phone, Fault: 'clear' })
  })

  it('rejects a refusal with what was tried and the code, or with what does not exist', async () => {
    const answer = await session.post('/probe/group')
    expect(answer).to.include({ status: 404, error: `${NO_GROUP} not found` })
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuseQuery', Code: 404, Count: 1 })
    expect(await session.post('/probe/ping')).to.include({
      status: 404,
      error: 'Failed to ping: refused (404)',
    })
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuseQuery', Code: 500, Count: 1 })
    expect(await session.post('/probe/ping')).to.include({ status: 502 })
  })

  it('says when a query that the network limits may be repeated', async () => {
    const { phone: Phone } = session.phone.account
    world.fault({ Phone, Fault: 'refuseQuery', Code: 429, Count: 1, Ms: 90_000 })
    const answer = await fetch(`${world.gateway.url}/probe/ping`, {
      method: 'POST',
      headers: session.headers,
    })
    expect(await answer.json()).to.include({ code: 429, errorCode: 'NETWORK_LIMITED' })
    expect(answer.headers.get('retry-after')).to.equal('90')
  })
})
