import { expect } from 'chai'
import { messageLogged } from '../../../support/sessions.ts'
import { startWorld } from '../../../support/world.ts'

describe('companions that their phone does not confirm', () => {
  it('get nothing, though the network still lists them (whatsapp/30)', async () => {
    const world = await startWorld()
    const shop = await world.linked(await world.phone('Shop'))
    const ana = await world.phone('Ana')
    const old = await world.linked(ana)
    await ana.act({ Action: 'renewKeyIndexes' })
    const current = await world.linked(ana)
    const { data } = await shop.post('/send/text', {
      Phone: ana.account.lid,
      Body: 'for the current devices',
    })
    await ana.wait(({ id }) => id === data.Id)
    await messageLogged(world.gateway, current.headers, 'for the current devices')
    const last = await ana.send(shop.phone.account.phone, { Text: 'from the phone' })
    await messageLogged(world.gateway, old.headers, last)
    const { data: logged } = await old.get('/events?limit=1000&class=Message')
    expect(JSON.stringify(logged)).not.to.include('for the current devices')
    await world.stop()
  })
})
