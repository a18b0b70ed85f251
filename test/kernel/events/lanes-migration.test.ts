import { expect } from 'chai'
import { migrate } from '../../../kernel/db/migrate.ts'
import { migrations } from '../../../migrations/index.ts'
import { everyEngine, openFresh } from '../../support/databases.ts'

for (const engine of everyEngine) {
  it(`cursors of earlier versions are kept, and what retention has dropped, on ${engine.name}`, async () => {
    const database = await openFresh(engine)
    const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '004'))
    await migrate(database.main, 'kernel', before)
    const rows = [
      { consumer: 'webhook', seq: 7 },
      { consumer: '(retention) s', seq: 5 },
    ]
    await database.main('cursors').insert(rows)
    await migrate(database.main, 'kernel', migrations)
    const [cursor, ...others] = await database.main('cursors')
    expect([cursor.consumer, Number(cursor.seq), others]).to.deep.equal(['webhook', 7, []])
    const [lane, ...rest] = await database.main('lanes')
    expect([lane.consumer, lane.session, Number(lane.seq), rest]).to.deep.equal(['(retention)', 's', 5, []])
    await database.close()
  })
}
