import { expect } from 'chai'
import pino from 'pino'
import type { Database } from '../../../../kernel/db/database.ts'
import { pluginDb } from '../../../../kernel/db/plugin-db.ts'
import { createWriter } from '../../../../kernel/db/writer.ts'
import { createCompletions } from '../../../../plugins/webhook/delivery/completions.ts'
import { everyEngine, openFresh } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'

for (const engine of everyEngine) {
  describe(`completed deliveries on ${engine.name}`, () => {
    let database: Database
    before(async () => {
      database = await openFresh(engine)
    })
    after(() => database.close())
    afterEach(() => database.main.schema.dropTable('webhook_deliveries'))

    it('are recorded when a reader asks for them', async () => {
      const { completions, states } = await scene()
      for (const seq of [1, 2, 3])
        completions.add({ endpoint: 'e', seq, attempts: 0 }, { status: 204, at: 1_700_000_000_000, ms: 12 })
      await completions.flush()
      expect(await states()).to.deep.equal(['1 done 1 204', '2 done 1 204', '3 done 1 204'])
    })

    it('are recorded without anyone asking', async () => {
      const { completions, states } = await scene()
      completions.add({ endpoint: 'e', seq: 2, attempts: 4 }, { status: 200, at: 1_700_000_000_000, ms: 12 })
      await eventually(async () => (await states())[1] === '2 done 5 200', 'the delivery is recorded')
    })

    it('are recorded later when the database refuses them, with those that were added meanwhile', async () => {
      const { completions, states, refuse, accept } = await scene()
      await refuse()
      completions.add({ endpoint: 'e', seq: 1, attempts: 0 }, { status: 200, at: 1_700_000_000_000, ms: 12 })
      const refused = await completions.flush().then(
        () => false,
        () => true,
      )
      expect(refused).to.equal(true)
      completions.add({ endpoint: 'e', seq: 2, attempts: 0 }, { status: 200, at: 1_700_000_000_000, ms: 12 })
      await accept()
      const recorded = '1 done 1 200, 2 done 1 200, 3 pending 0 '
      await eventually(async () => (await states()).join(', ') === recorded, 'both are recorded')
    })

    it('are recorded when the plugin closes', async () => {
      const { completions, states } = await scene()
      completions.add({ endpoint: 'e', seq: 3, attempts: 0 }, { status: 200, at: 1_700_000_000_000, ms: 12 })
      await completions.close()
      expect((await states())[2]).to.equal('3 done 1 200')
    })

    /** Three pending deliveries, in a table whose rows can be refused. */
    async function scene() {
      const { main } = database
      await main.schema.createTable('webhook_deliveries', (table) => {
        table.integer('seq').notNullable()
        table.text('endpoint').notNullable()
        table.text('state').notNullable()
        table.integer('attempts').notNullable()
        table.text('last').notNullable()
        table.bigInteger('at').notNullable().defaultTo(0)
        table.integer('ms').notNullable().defaultTo(0)
        table.primary(['seq', 'endpoint'])
      })
      const rows = [1, 2, 3].map((seq) => ({
        seq,
        endpoint: 'e',
        state: 'pending',
        attempts: 0,
        last: '',
      }))
      await main('webhook_deliveries').insert(rows)
      const db = pluginDb(database, createWriter(database), 'webhook')
      return {
        completions: createCompletions({ db, log: pino({ level: 'silent' }) }),
        states: async (): Promise<string[]> =>
          (await main('webhook_deliveries').orderBy('seq')).map(
            ({ seq, state, attempts, last }) => `${seq} ${state} ${attempts} ${last}`,
          ),
        refuse: () => main.schema.renameTable('webhook_deliveries', 'away'),
        accept: () => main.schema.renameTable('away', 'webhook_deliveries'),
      }
    }
  })
}
