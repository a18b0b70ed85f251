import { expect } from 'chai'
import { createProbe } from '../../../support/probe.ts'
import { openShop } from '../../../support/world.ts'

describe('keys of the settings', () => {
  it('are taken from the own phone alone', async () => {
    const probe = createProbe()
    const { world, session, ana } = await openShop({ extra: [probe.plugin] })
    await probe.synced(session)
    const { keys } = (await probe.socket(session)).wa.authState
    const has = async (ids: readonly string[]) =>
      Object.values(await keys.get('app-state-sync-key', [...ids])).filter(Boolean).length
    const share = (Data: Record<string, unknown>) =>
      ana.act({ Action: 'shareKeys', Chat: session.phone.account.phone, Data })
    const shares = [await share({}), await share({ Wrapped: true })]
    // What came before a message is handled when that is logged.
    const last = await ana.send(session.phone.account.phone, { Text: 'last' })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === last)
    for (const { Id, Keys } of shares) {
      expect(ana.receipts.map(({ id }) => id)).to.include(Id)
      expect(Keys).to.have.length(1)
      expect(await has(Keys as string[])).to.equal(0)
    }
    const { creds } = (await probe.socket(session)).wa.authState
    expect(shares.flatMap(({ Keys }) => Keys)).not.to.include(creds.myAppStateKeyId)
    expect(await has([creds.myAppStateKeyId ?? ''])).to.equal(1)
    const { data } = await session.get('/events?limit=100&class=Message')
    const ids = (data.Events as { event: { Info: { ID: string } } }[]).map(({ event }) => event.Info.ID)
    expect(ids)
      .to.include(last)
      .and.not.include.members(shares.map(({ Id }) => String(Id)))
    await world.stop()
  })
})
