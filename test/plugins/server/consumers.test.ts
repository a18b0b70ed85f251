import { expect } from 'chai'
import { asFunction, asValue, definePlugin, type Kernel } from '../../../kernel/plugin.ts'
import audit from '../../../plugins/audit/index.ts'
import server from '../../../plugins/server/index.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'
import { stepper } from '../webhook/stepper.ts'

interface Picky {
  readonly kernel: Pick<Kernel<unknown>, 'events' | 'sessions'>
  readonly seen: string[]
  refused: string
}

declare module 'wamux/plugin' {
  interface GatewayServices {
    picky: Picky
  }
}

/** Refuses one event. */
const picky = definePlugin({
  name: 'picky',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['picky'],
  services: () => ({
    kernel: asFunction(({ events, sessions }: Picky['kernel']) => ({ events, sessions })).singleton(),
    seen: asValue<string[]>([]),
    picky: asFunction(({ kernel, seen }: Picky) => ({ kernel, seen, refused: '' })).singleton(),
  }),
  consume: {
    deadLetter: { after: 2 },
    async handle(events, { picky: own }) {
      const chats = events.map(({ body }) => String((body['event'] as { Chat: string }).Chat))
      if (chats.includes(own.refused)) throw new Error(`no room for ${own.refused}`)
      own.seen.push(...chats)
    },
  },
})

for (const engine of engines) {
  describe(`consumers for operators on ${engine.name}`, () => {
    const admin = { admintoken: ADMIN }
    let gateway: TestGateway
    let own: Picky
    let session: string

    before(async () => {
      const plugins = [server, audit, stepper, picky].map((plugin) => ({ plugin }))
      gateway = await startedGateway({ plugins }, engine)
      own = gateway.service('picky')
      session = (await own.kernel.sessions.create({})).id
    })
    after(() => gateway.stop())

    const step = async (chat: string): Promise<number> => {
      const [line] = await own.kernel.events.raise(session, 'step', { chat, number: Date.now() })
      return line?.seq ?? 0
    }
    const list = async () => (await gateway.get('/server/consumers', admin)).data.Consumers
    const letters = async () =>
      (await gateway.get('/server/consumers/picky/dead-letters', admin)).data.DeadLetters

    it('are listed to the admin with lag, slowest sessions and dead letters', async () => {
      expect(await gateway.get('/server/consumers')).to.include({ status: 401 })
      expect(await list()).to.deep.equal([{ Name: 'picky', Lag: 0, Behind: [], DeadLetters: 0 }])
    })

    it('give up an event as often as they say, and handle it again when asked to', async () => {
      own.refused = 'poison'
      const seq = await step('poison')
      await eventually(async () => (await letters()).length === 1, 'dead letter')
      const [letter] = await letters()
      expect(letter).to.deep.include({ Seq: seq, Session: session, Type: 'Step', Attempts: 2 })
      expect(letter.Error).to.equal('no room for poison')
      expect((await list())[0].DeadLetters).to.equal(1)
      const retry = () => gateway.post('/server/consumers/picky/dead-letters/retry', {}, admin)
      expect((await retry()).data).to.deep.equal({ Tried: 1, Left: 1 })
      own.refused = ''
      expect((await retry()).data).to.deep.equal({ Tried: 1, Left: 0 })
      expect(own.seen).to.deep.equal(['poison'])
      expect(await letters()).to.deep.equal([])
    })

    it('drop dead letters', async () => {
      own.refused = 'other'
      const seq = await step('other')
      await eventually(async () => (await letters()).length === 1, 'dead letter')
      const drop = (Seqs: number[]) =>
        gateway.post('/server/consumers/picky/dead-letters/drop', { Seqs }, admin)
      expect((await drop([seq + 1])).data).to.deep.equal({ Dropped: 0 })
      expect((await drop([seq])).data).to.deep.equal({ Dropped: 1 })
      own.refused = ''
    })

    it('handle events again from a seq or a time on', async () => {
      const replay = (body: object) => gateway.post('/server/consumers/picky/replay', body, admin)
      const first = await step('a')
      const second = await step('b')
      await eventually(() => own.seen.includes('b'), 'handled')
      own.seen.length = 0
      expect((await replay({ After: first, Session: session })).data).to.deep.equal({
        After: first,
        Sessions: 1,
      })
      await eventually(() => own.seen.length === 1, 'handled again')
      expect(own.seen).to.deep.equal(['b'])
      expect((await replay({ Since: '2020-01-01T00:00:00Z' })).data.Sessions).to.equal(1)
      await eventually(() => own.seen.length === 5, 'all handled again')
      const { data } = await replay({ Since: new Date(Date.now() + 60_000).toISOString() })
      expect(data.After).to.equal(second)
      expect(await replay({})).to.include({ status: 400 })
      expect((await replay({ Since: 'yesterday' })).error).to.include('Since')
      expect(await replay({ After: 1, Session: 'none' })).to.include({ status: 404 })
      expect(await gateway.post('/server/consumers/none/replay', { After: 1 }, admin)).to.include({
        status: 404,
        error: 'Consumer not found',
      })
    })

    it('leave a trace in the audit log', async () => {
      const { data } = await gateway.get('/server/audit', admin)
      const actions = data.Rows.map(({ Action }: { Action: string }) => Action)
      expect(actions).to.include.members(['consumer.replay', 'consumer.retry', 'consumer.drop'])
    })
  })
}
