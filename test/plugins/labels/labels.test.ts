import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { phoneHas, settingOf } from '../../support/phone-settings.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('labels', () => {
  const probe = createProbe()
  let world: World
  let business: LinkedSession
  let shop: Phone
  let person: LinkedSession
  let ana: Phone
  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
    shop = await world.phone('Shop', { business: true })
    business = await world.linked(shop)
    ana = await world.phone('Ana')
    person = await world.linked(ana)
    await probe.synced(business)
    await probe.synced(person)
  })
  after(() => world.stop())

  const does = async (path: string, body: object, details: string): Promise<void> => {
    const answer = await business.post(path, body)
    expect(answer, answer.error).to.include({ status: 200, success: true })
    expect(answer.data).to.deep.equal({ Details: details })
  }
  const refused = async (path: string, body: object): Promise<void> => {
    const before = ana.view()['Settings']
    world.fault({ Phone: ana.account.phone, Fault: 'refuseSettings', Code: 403, Count: 1 })
    expect(await person.post(path, body)).to.include({
      status: 403,
      error: 'WhatsApp refused: forbidden (403)',
    })
    expect(ana.view()['Settings']).to.deep.equal(before)
  }
  const labelled = (on: boolean) => (action: Record<string, unknown>) =>
    JSON.stringify(action['labelAssociationAction']) === JSON.stringify({ labeled: on })

  shows('POST /label/edit', 'creates a label, enabled whatever action says, and deletes it', async () => {
    await does('/label/edit', { labelid: 7, name: 'Paid', color: 5, action: false }, 'Label saved')
    const { labelEditAction } = await phoneHas(shop, ['label_edit', '7'])
    expect(labelEditAction).to.deep.equal({ name: 'Paid', color: 5, deleted: false })
    await does('/label/edit', { labelid: '7', deleted: true }, 'Label deleted')
    await phoneHas(
      shop,
      ['label_edit', '7'],
      (action) => (action['labelEditAction'] as { deleted: boolean }).deleted,
    )
  })
  refuses('POST /label/edit', 'if the network refuses', () =>
    refused('/label/edit', { labelid: '7', name: 'Paid' }),
  )
  it('require a name and one of twenty colours', async () => {
    expect(await business.post('/label/edit', { labelid: '7' })).to.include({
      status: 400,
      error: 'Missing name in Payload',
    })
    expect(await business.post('/label/edit', { labelid: '7', name: 'x', color: 20 })).to.include({
      status: 400,
      error: 'Invalid color: must be <= 19',
    })
  })

  it('are edited by personal accounts too, which show them as lists of chats', async () => {
    const answer = await person.post('/label/edit', { labelid: '21', name: 'Family' })
    expect(answer, answer.error).to.include({ status: 200 })
    await phoneHas(ana, ['label_edit', '21'])
  })

  shows('POST /label/chat', 'labels a chat', async () => {
    await does('/label/chat', { jid: ana.account.phone, labelid: '2' }, 'Chat labelled')
    await phoneHas(shop, ['label_jid', '2', ana.account.jid], labelled(true))
  })
  shows('POST /unlabel/chat', 'removes the label', async () => {
    await shop.act({ Action: 'labelChat', Chat: ana.account.jid, Data: { Label: '3' } })
    await does('/unlabel/chat', { jid: ana.account.phone, labelId: 3 }, 'Label removed')
    await phoneHas(shop, ['label_jid', '3', ana.account.jid], labelled(false))
  })
  refuses('POST /label/chat', 'if the network refuses', () =>
    refused('/label/chat', { jid: shop.account.phone, labelid: '2' }),
  )
  refuses('POST /unlabel/chat', 'if the network refuses', () =>
    refused('/unlabel/chat', { jid: shop.account.phone, labelid: '2' }),
  )

  shows('POST /label/message', 'labels a message', async () => {
    const id = await ana.send(shop.account.phone, { Text: 'an order' })
    await does('/label/message', { jid: ana.account.phone, labelid: '2', messageid: id }, 'Message labelled')
    await phoneHas(shop, ['label_message', '2', ana.account.jid, id], labelled(true))
  })
  shows('POST /unlabel/message', 'removes the label', async () => {
    const Data = { Label: '2' }
    await shop.act({ Action: 'labelMessage', Chat: ana.account.jid, Id: 'ABC', Data })
    await does(
      '/unlabel/message',
      { jid: ana.account.phone, labelid: '2', messageId: 'ABC' },
      'Label removed',
    )
    await phoneHas(shop, ['label_message', '2', ana.account.jid, 'ABC'], labelled(false))
  })
  refuses('POST /label/message', 'if the network refuses', () =>
    refused('/label/message', { jid: shop.account.phone, labelid: '2', messageid: 'ABC' }),
  )
  refuses('POST /unlabel/message', 'if the network refuses', () =>
    refused('/unlabel/message', { jid: shop.account.phone, labelid: '2', messageid: 'ABC' }),
  )
  it('require a chat, a label and a message', async () => {
    for (const [missing, body] of [
      ['jid', { labelid: '2', messageid: 'ABC' }],
      ['labelid', { jid: ana.account.phone, messageid: 'ABC' }],
      ['messageid', { jid: ana.account.phone, labelid: '2' }],
    ] as const)
      expect(await business.post('/label/message', body)).to.include({
        status: 400,
        error: `Missing ${missing} in Payload`,
      })
    expect(settingOf(shop, 'label_message', '2', ana.account.jid, '')).to.equal(undefined)
  })

  it('raise events for changes made on the phone', async () => {
    await shop.act({ Action: 'label', Text: 'New', Data: { Label: '9' } })
    await shop.act({ Action: 'labelChat', Chat: ana.account.jid, Data: { Label: '9' } })
    await shop.act({ Action: 'labelMessage', Chat: ana.account.jid, Id: 'XYZ', Data: { Label: '9' } })
    const isNine = ({ LabelID }: Record<string, unknown>): boolean => LabelID === '9'
    const made = await probe.event('LabelEdit', isNine)
    expect(made.body).to.have.nested.property('event.Action.name', 'New')
    const onChat = await probe.event('LabelAssociationChat', isNine)
    expect(onChat.body['event']).to.deep.include({ JID: ana.account.jid, Action: { labeled: true } })
    const onMessage = await probe.event('LabelAssociationMessage', isNine)
    expect(onMessage.body['event']).to.deep.include({ MessageID: 'XYZ', Action: { labeled: true } })
  })
})
