import { expect } from 'chai'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { viewOf } from './view.ts'

const stock = definePlugin({
  name: 'stock',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/stock/create', {
      summary: "Baileys' own call",
      body: T.Object({
        Name: T.String({ format: 'name' }),
        Participants: T.Array(T.String({ format: 'phone' })),
      }),
      handle: async ({ session, body }) => session.socket.wa.groupCreate(body.Name, body.Participants),
    }),
  ],
})

/** What the plugin's own queries are for. When these fail, Baileys is mended and its calls can be used. */
describe("Baileys' own call to create a group", () => {
  let world: World
  let session: LinkedSession
  before(async () => {
    world = await startWorld({ extra: [stock] })
    session = await world.linked(await world.phone('Shop'))
  })
  after(() => world.stop())

  it('corrupts a name with an @', async () => {
    const { data } = await session.post('/stock/create', { Name: 'Team: x_1@y', Participants: [] })
    expect(viewOf(world, data.id).Subject).to.not.include('x_1')
  })

  it('lists people as members whom the network did not add', async () => {
    const Participants = ['5511900000000@s.whatsapp.net']
    const { data } = await session.post('/stock/create', { Name: 'Team', Participants })
    expect(viewOf(world, data.id).Members).to.have.length(1)
    expect(JSON.stringify(data.participants)).to.include(Participants[0]).and.not.include('"404"')
  })
})
