import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { createProbe } from '../support/probe.ts'
import { openShop } from '../support/world.ts'

const MESSAGES = 40
const CHARACTERS = 60_000

describe('a chat that floods', () => {
  it('waits for its turns, in order, while another one passes it', async () => {
    const probe = createProbe()
    const { world, session, ana } = await openShop({ extra: [probe.plugin] })
    const bruno = await world.phone('Bruno')
    const { phone } = session.phone.account
    const isOf = (id: string) => (event: Record<string, unknown>) =>
      (event['Info'] as { ID: string }).ID === id
    for (const one of [ana, bruno])
      await probe.event('Message', isOf(await one.send(phone, { Text: 'first' })))
    const seen: string[] = []
    probe.log.watch((events) => {
      for (const { type, body } of events)
        if (type === 'Message') seen.push((body['event'] as { Info: { ID: string } }).Info.ID)
    })

    world.fault({ Fault: 'holdMessages', Phone: phone, Count: MESSAGES })
    const flood: string[] = []
    for (let i = 0; i < MESSAGES; i += 1)
      flood.push(await ana.send(phone, { Text: `${i} ${'x'.repeat(CHARACTERS)}` }))
    world.fault({ Fault: 'releaseMessages', Phone: phone })
    const other = await bruno.send(phone, { Text: 'hello' })
    await eventually(() => seen.length > MESSAGES, 'all logged', { progress: () => seen.length })

    expect(seen.filter((id) => id !== other)).to.deep.equal(flood)
    expect(seen.indexOf(other)).to.be.below(MESSAGES / 2)
    await world.stop()
  })
})
