import { expect } from 'chai'
import { asValue, definePlugin, gatewayError, type Kernel, T } from 'wamux/plugin'
import { engines } from '../../../support/databases.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../../support/world.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    crmRows: { db: Kernel<unknown>['db'] }
  }
}

const SECRET = 'crm-secret-0123456789'
const schema = T.Object({
  url: T.String({ default: '', maxLength: 2_048, description: 'Where the CRM is' }),
  token: T.Optional(T.String({ writeOnly: true, maxLength: 100, description: 'Token of the CRM' })),
  limit: T.Integer({ default: 3, minimum: 1, description: 'How often' }),
})
const checked: unknown[] = []
const crm = definePlugin({
  name: 'crm',
  version: '1.0.0',
  api: '^1.0.0',
  needs: ['sessionSettings'],
  provides: ['crmRows'],
  services: ({ db }) => ({ crmRows: asValue({ db }) }),
  contributes: {
    sessionSettings: () => ({
      title: 'CRM',
      schema,
      async validate(values, session) {
        checked.push({ ...values, session })
        const { url, token } = values
        if (url === 'late') await new Promise((resolve) => setImmediate(resolve))
        if (url === 'late') return { field: 'url', reason: 'does not answer' }
        if (url === 'echo') return { field: 'token', reason: `must not be ${token}` }
        if (url === 'busy') throw gatewayError('BUSY')
        if (url === 'broken') throw new Error(`the inner words with ${token}`)
        return undefined
      },
    }),
  },
  routes: (r) => [
    r.get('/crm', {
      summary: 'What the plugin is given',
      access: 'token',
      handle: async ({ session }, { sessionSettings }) => {
        const { token = '' } = sessionSettings.of(session.id, 'crm', schema)
        return { Digits: token.length, IsRight: token === SECRET }
      },
    }),
  ],
})

for (const engine of engines)
  describe(`secrets and checks among the settings of a session, ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    const place = engine.fresh()
    before(async () => {
      world = await startWorld({ extra: [crm], ...place }, engine)
      session = await world.linked(await world.phone('Shop'))
    })
    after(() => world.stop())
    const put = (Values: object) =>
      world.gateway.call('PUT', '/session/settings/crm', { body: { Values }, headers: session.headers })
    const given = async () => (await session.get('/crm')).data
    const shown = async () => (await session.get('/session/settings/crm')).data

    it('give a secret to the plugin, and show everybody else whether there is one', async () => {
      expect((await shown()).Secrets).to.deep.equal({ token: false })
      const { status, data } = await put({ url: 'https://crm.example', token: SECRET })
      expect(status).to.equal(200)
      expect(data.Values).to.deep.equal({ url: 'https://crm.example', limit: 3 })
      expect(data.Secrets).to.deep.equal({ token: true })
      expect(await given()).to.deep.equal({ Digits: SECRET.length, IsRight: true })
      const page = { ...admin, 'x-session': 'Shop' }
      for (const headers of [session.headers, page])
        for (const path of ['/session/settings', '/session/settings/crm'])
          expect(JSON.stringify(await world.gateway.get(path, headers))).not.to.include(SECRET)
      for (const path of ['/server/plugins', '/server/audit?limit=1000', '/session/all'])
        expect(JSON.stringify(await world.gateway.get(path, admin))).not.to.include(SECRET)
      expect(JSON.stringify(await session.get('/events?limit=500'))).not.to.include(SECRET)
    })

    it('keep a secret that a form does not send back, replace it, and remove it', async () => {
      expect((await put({ limit: 4 })).data).to.deep.include({
        Values: { url: '', limit: 4 },
        Secrets: { token: true },
      })
      expect(await given()).to.deep.equal({ Digits: SECRET.length, IsRight: true })
      await put({ token: 'another' })
      expect(await given()).to.deep.equal({ Digits: 7, IsRight: false })
      for (const nothing of ['', null]) {
        await put({ token: SECRET })
        expect((await put({ token: nothing })).data.Secrets).to.deep.equal({ token: false })
        expect(await given()).to.deep.equal({ Digits: 0, IsRight: false })
      }
    })

    it('are checked by the plugin, whose words name the field and hold no secret', async () => {
      await put({ url: 'https://crm.example', token: SECRET })
      expect(checked.at(-1)).to.include({ url: 'https://crm.example', token: SECRET, limit: 3 })
      const late = await put({ url: 'late' })
      expect(late).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(late.error).to.equal('Invalid Values: "url" does not answer')
      const echo = await put({ url: 'echo' })
      expect(echo.error).to.equal('Invalid Values: "token" must not be …')
      expect(await put({ url: 'busy' })).to.include({ status: 503, errorCode: 'BUSY' })
      const broken = await put({ url: 'broken' })
      expect(broken).to.include({ status: 503, errorCode: 'PLUGIN_UNAVAILABLE' })
      expect(JSON.stringify(broken)).not.to.include('inner words')
      // The schema first: the plugin is not asked about what it does not take.
      const before = checked.length
      expect(await put({ limit: 0 })).to.include({ status: 400 })
      expect(checked).to.have.length(before)
      expect((await shown()).Values).to.deep.equal({ url: 'https://crm.example', limit: 3 })
    })

    it('are not in the log, nor readable in the storage', async () => {
      expect(world.gateway.lines.filter((line) => line.includes(SECRET))).to.deep.equal([])
      const { db } = world.gateway.service('crmRows')
      const rows = await db.read('session_settings_values')
      expect(rows).to.have.length.above(0)
      for (const row of rows) expect(Buffer.from(row.value).includes(SECRET)).to.equal(false)
    })

    it('are there after a restart', async () => {
      await world.stop()
      world = await startWorld({ extra: [crm], ...place }, engine)
      expect((await world.gateway.get('/crm', session.headers)).data).to.include({ IsRight: true })
    })
  })

it('a secret that is no text of the top level is refused at the start', async () => {
  const inner = T.Object({ inner: T.Object({ token: T.String({ writeOnly: true, maxLength: 9 }) }) })
  const deep = definePlugin({
    name: 'deep',
    version: '1.0.0',
    api: '^1.0.0',
    contributes: { sessionSettings: () => ({ title: 'Deep', schema: inner }) },
  })
  const { message } = await startWorld({ extra: [deep] }).then(
    async (world) => {
      await world.stop()
      return new Error('it started')
    },
    (error: Error) => error,
  )
  expect(message).to.include('"deep"').and.include('inner.token')
})
