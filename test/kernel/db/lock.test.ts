import { expect } from 'chai'
import { openDatabase } from '../../../kernel/db/open.ts'
import { temporaryFolder } from '../../support/databases.ts'

describe('SQLite process lock', () => {
  it('lets a second opener in only after the first has gone, and says why', async () => {
    const dataDir = temporaryFolder()
    const first = await openDatabase({ dataDir })
    const refusal = await openDatabase({ dataDir }).catch((error: Error & { code?: string }) => error)
    expect(refusal).to.have.property('code', 'DATABASE_LOCKED')
    expect(refusal)
      .to.have.property('message')
      .that.includes('another wamux process')
      .and.includes('DATABASE_URL')
    await first.close()
    const second = await openDatabase({ dataDir })
    await second.close()
  })
})
