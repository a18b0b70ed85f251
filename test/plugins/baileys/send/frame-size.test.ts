import { expect } from 'chai'
import { definePlugin, T } from '../../../../kernel/plugin.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../../../support/calls.ts'
import { measureCpu } from '../../../support/cpu.ts'
import { whole } from '../../../support/run/whole.ts'
import { type LinkedSession, openShop, type World } from '../../../support/world.ts'

/** Sends a document with a thumbnail of so many bytes, which the schemas of routes would refuse. */
const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe', {
      summary: 'Send a thumbnail of that size',
      body: T.Object({
        Chat: T.String({ format: 'phone' }),
        Bytes: T.Integer(),
        Id: T.String({ format: 'id' }),
        Field: T.Optional(T.String({ format: 'name' })),
      }),
      handle: async ({ body: { Chat, Bytes, Id: id, Field: field }, session }) => {
        const jpegThumbnail = Buffer.alloc(Bytes, 7)
        const content = async () => ({ proto: { documentMessage: { fileName: 'x', jpegThumbnail } } })
        const options = { id, fingerprint: String(Bytes), ...(field ? { field } : {}) }
        return (await session.socket.send(Chat, content, options)).sent
      },
    }),
  ],
})

const MEMBERS = 500

describe('frame size', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [probe] }))
    await text(ana.account.phone, 'hello')
  })
  after(() => world.stop())

  const text = (Phone: string, Body: string, extra: object = {}): Promise<Answer> =>
    session.post('/send/text', { Phone, Body, ...extra })
  const thumbnail = (Chat: string, Bytes: number, Id: string, extra: object = {}): Promise<Answer> =>
    session.post('/probe', { Chat, Bytes, Id, ...extra })
  const group = async (members: readonly Phone[]): Promise<string> => {
    const Participants = members.map(({ account }) => account.phone)
    return String((await session.phone.act({ Action: 'createGroup', Text: 'G', Participants }))['JID'])
  }

  it('refuses a message whose copies exceed a frame within a second, while others are sent', async () => {
    const { logins } = world.counters()
    const bea = await world.phone('Bea')
    await text(bea.account.phone, 'hello')
    const rss = process.memoryUsage().rss
    const cpu = measureCpu()
    const [refused, ...others] = await Promise.all([
      thumbnail(ana.account.jid, 9_000_000, 'large', { Field: 'Thumbnail' }),
      text(ana.account.phone, 'the same chat'),
      text(bea.account.phone, 'another chat'),
    ])
    expect(cpu(), 'milliseconds of processor time').to.be.lessThan(1000)
    expect(refused).to.include({ status: 413 })
    expect(refused.error).to.match(
      /^Thumbnail is too large: the message has 90000\d\d bytes, but the limit for 2 devices is 83\d{5}$/,
    )
    expect(others.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(process.memoryUsage().rss - rss).to.be.lessThan(150_000_000)
    expect(world.counters()['logins'], 'the link stays').to.equal(logins)
  })

  it('stores nothing of a refused message, so that its id can be used again', async () => {
    expect(await thumbnail(ana.account.jid, 9_000_000, 'again')).to.include({ status: 413 })
    expect(await session.post('/message/status', { Id: 'again' })).to.include({ status: 404 })
    expect(await thumbnail(ana.account.jid, 1000, 'again')).to.include({ status: 200 })
    await ana.wait(({ id }) => id === 'again')
  })

  it('sends a message of the size that the refusal names', async () => {
    const { error = '' } = await thumbnail(ana.account.jid, 9_000_000, 'bound')
    const limit = Number(/limit for 2 devices is (\d+)/.exec(error)?.[1])
    expect(await thumbnail(ana.account.jid, limit - 100, 'just-fits')).to.include({ status: 200 })
  })

  whole.it('allows larger messages to a group, which gets one copy', async () => {
    const jid = await group([ana, await world.phone('Caio'), await world.phone('Davi')])
    expect(await thumbnail(jid, 9_000_000, 'to-group')).to.include({ status: 200 })
    await ana.wait(({ id }) => id === 'to-group')
    const refused = await thumbnail(jid, 16_800_000, 'to-group-large')
    expect(refused).to.include({ status: 413 })
    expect(refused.error)
      .to.include('The message is too large')
      .and.match(/ [45] devices /)
  })

  whole.it(`sends a text of 60 KiB to a group of ${MEMBERS} members, who all decrypt it`, async () => {
    const members: Phone[] = []
    for (let i = 0; i < MEMBERS; i += 1) members.push(await world.phone(`M${i}`))
    const jid = await group(members)
    const [sent, other] = await Promise.all([text(jid, 'é'.repeat(60 * 1024)), text(ana.account.phone, 'x')])
    expect([sent.status, other.status], JSON.stringify(sent)).to.deep.equal([200, 200])
    for (const member of [members[0], members.at(-1)] as Phone[]) {
      const { raw } = await member.wait(({ id }) => id === sent.data.Id)
      expect(raw.extendedTextMessage?.text).to.have.length(60 * 1024)
    }
    const arrived = members.filter((member) => member.messages().some(({ id }) => id === sent.data.Id))
    expect(arrived).to.have.length(MEMBERS)
    expect(await thumbnail(jid, 16_600_000, 'to-500')).to.include({ status: 413 })
  })
})
