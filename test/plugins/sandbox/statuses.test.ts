import { expect } from 'chai'
import { createDirectory } from '../../../plugins/sandbox/network/directory/accounts.ts'
import { dropExpired } from '../../../plugins/sandbox/network/messaging/statuses.ts'
import { el } from '../../../plugins/sandbox/stanza.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, startWorld } from '../../support/world.ts'

describe('status posts of the local network', () => {
  it('end with their day, also for a device that was offline meanwhile', async () => {
    const world = await startWorld()
    const session = await world.linked(await world.phone('Shop'))
    const reader = await world.linked(await world.phone('Ana'))
    const { phone } = reader.phone.account
    const waiting = async () =>
      (await world.gateway.get(`/sandbox/phones/${phone}`, admin)).data.Companions[0].Waiting
    await eventually(async () => (await waiting()) === 0, 'drained')
    await reader.post('/session/disconnect')
    const before = Math.floor(Date.now() / 1000)
    const { data } = await session.post('/status/text', { Text: 'today', StatusJidList: [phone] })
    await reader.phone.wait(({ id }) => id === data.Id)
    const posts = async () => (await world.gateway.get('/sandbox/network', admin)).data.Statuses
    const [post] = await posts()
    expect(post).to.include({ Id: data.Id, From: session.phone.account.phone })
    expect(post.Time).to.be.within(before, before + 60)
    expect(await waiting()).to.equal(1)
    world.fault({ Fault: 'expireStatuses' })
    expect(await posts()).to.deep.equal([])
    expect(await waiting()).to.equal(0)
    await world.stop()
  })

  it('are dropped from a queue a day after their time, not before, and no other message is', () => {
    const directory = createDirectory()
    const { queue } = directory.addDevice(directory.create({}), 1, undefined, 'web')
    const t = 1_800_000_000
    queue.set('message 1', [el('message', { id: '1', from: 'status@broadcast', t })])
    queue.set('message 2', [el('message', { id: '2', from: '1@lid', t })])
    dropExpired(queue, t + 24 * 3600 - 1)
    expect([...queue.keys()]).to.deep.equal(['message 1', 'message 2'])
    dropExpired(queue, t + 24 * 3600)
    expect([...queue.keys()]).to.deep.equal(['message 2'])
  })
})
