import { expect } from 'chai'
import { definePlugin, T } from 'wamux/plugin'
import { engines } from '../../../support/databases.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

const schema = T.Object({
  greeting: T.String({ default: 'Hello', minLength: 1, description: 'First words' }),
  limit: T.Integer({ default: 3, minimum: 1, description: 'How often' }),
})
const incoming: string[] = []
const greeter = definePlugin({
  name: 'greeter',
  version: '1.0.0',
  api: '^1.0.0',
  needs: ['sessionSettings'],
  contributes: {
    sessionSettings: () => ({ title: 'Greeter', schema }),
    messageHooks: () => ({
      beforeSend: ({ path }) => {
        incoming.push(path)
      },
    }),
  },
  routes: (r) => [
    r.get('/greeter', {
      summary: 'Greeting',
      access: 'token',
      handle: async ({ session }, { sessionSettings }) => ({
        Text: sessionSettings.of(session.id, 'greeter', schema).greeting,
      }),
    }),
  ],
})

for (const engine of engines) {
  describe(`settings of plugins per session, ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    const place = engine.fresh()
    before(async () => {
      world = await startWorld({ extra: [greeter], ...place }, engine)
      session = await world.linked(await world.phone('Shop'))
    })
    after(() => world.stop())
    const put = (body: object) =>
      world.gateway.call('PUT', '/session/settings/greeter', { body, headers: session.headers })

    it('has the defaults, described for a form', async () => {
      const { data } = await session.get('/session/settings')
      const found = data.Settings.filter(({ Plugin }: { Plugin: string }) => Plugin === 'greeter')
      expect(found).to.have.length(1)
      const [{ Schema, ...own }] = found
      const Values = { greeting: 'Hello', limit: 3 }
      expect(own).to.deep.equal({ Plugin: 'greeter', Title: 'Greeter', Enabled: true, Values, Secrets: {} })
      expect(Schema.properties.limit).to.include({ type: 'integer', description: 'How often' })
      expect((await session.get('/session/settings/greeter')).data.Values).to.deep.equal(Values)
    })

    it('are changed for one session, checked by the schema', async () => {
      const other = await world.linked(await world.phone('Other'))
      expect((await put({ Values: { greeting: 'Welcome' } })).data.Values).to.deep.equal({
        greeting: 'Welcome',
        limit: 3,
      })
      expect((await session.get('/greeter')).data).to.deep.equal({ Text: 'Welcome' })
      expect((await other.get('/greeter')).data).to.deep.equal({ Text: 'Hello' })
      const refused = await put({ Values: { limit: 0 } })
      expect(refused).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(refused.error).to.include('limit')
      expect(await put({ Values: { greetin: 'x' } })).to.include({ status: 400 })
      expect((await session.get('/greeter')).data).to.deep.equal({ Text: 'Welcome' })
      const unknown = await session.get('/session/settings/nobody')
      expect(unknown).to.include({ status: 404, errorCode: 'ITEM_UNKNOWN' })
    })

    it("switch the plugin's message hooks off in one session", async () => {
      const ana = await world.phone('Ana')
      const body = { Phone: ana.account.phone, Body: 'hello' }
      await session.post('/send/text', body)
      expect(incoming.splice(0)).to.deep.equal(['/send/text'])
      expect((await put({ Enabled: false })).data).to.include({ Enabled: false })
      await session.post('/send/text', body)
      expect(incoming).to.deep.equal([])
      expect((await put({ Enabled: true })).data.Values).to.include({ greeting: 'Welcome' })
    })

    it('are there after a restart', async () => {
      await world.stop()
      world = await startWorld({ extra: [greeter], ...place }, engine)
      const { data } = await world.gateway.get('/session/settings/greeter', session.headers)
      expect(data.Values).to.deep.equal({ greeting: 'Welcome', limit: 3 })
    })
  })
}
