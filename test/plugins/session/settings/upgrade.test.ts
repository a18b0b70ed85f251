import { expect } from 'chai'
import { definePlugin, type PluginDb, T } from 'wamux/plugin'
import { tablesOf } from '../../../../kernel/db/migrate.ts'
import { engines } from '../../../support/databases.ts'
import { admin, startWorld } from '../../../support/world.ts'

const schema = T.Object({ greeting: T.String({ default: 'Hello', description: 'First words' }) })
let storage: PluginDb
const greeter = definePlugin({
  name: 'greeter',
  version: '1.0.0',
  api: '^3.0.0',
  contributes: { sessionSettings: () => ({ title: 'Greeter', schema }) },
  setup: async ({ db }) => {
    storage = db
  },
})

for (const engine of engines)
  it(`settings that a version with the plugin session-settings has stored are kept, ${engine.name}`, async () => {
    const place = engine.fresh()
    let world = await startWorld({ extra: [greeter], ...place }, engine)
    try {
      const { data } = await world.gateway.post('/session/init', {}, admin)
      const headers = { token: String(data.Token) }
      const body = { Values: { greeting: 'from before' } }
      await world.gateway.call('PUT', '/session/settings/greeter', { body, headers })
      // As that version left it.
      await storage.transact(async (trx) => {
        await trx('migrations_session').where({ name: '002_settings' }).delete()
        await trx.schema.createTable('migrations_session_settings', (table) => {
          table.increments()
          table.string('name')
        })
        await trx('migrations_session_settings').insert({ name: '001_values' })
      })
      await world.stop()
      world = await startWorld({ extra: [greeter], ...place }, engine)
      const { data: view } = await world.gateway.get('/session/settings/greeter', headers)
      expect(view.Values).to.deep.equal({ greeting: 'from before' })
      // Its steps are not taken for those of a plugin that is not enabled.
      expect(await tablesOf(storage.read)).to.not.include('migrations_session_settings')
    } finally {
      await world.stop()
    }
  })
