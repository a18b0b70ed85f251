import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { child } from '../../../plugins/sandbox/stanza.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('requests about calls', () => {
  let world: World
  let shop: LinkedSession
  let ana: Phone
  let told: Events
  before(async () => {
    ;({ world, session: shop, ana } = await openShop())
    told = await eventsOf(shop)
  })
  after(async () => {
    await told.close()
    await world.stop()
  })

  const network = () => world.gateway.service('sandbox').network.view()
  const stateOf = (id: string) =>
    (network()['Calls'] as { ID: string; State: string }[]).find(({ ID }) => ID === id)?.State
  const ring = async (): Promise<string> => {
    const { Id } = await ana.act({ Action: 'call', Chat: shop.phone.account.phone })
    await told.wait('CallOffer', ({ CallID }) => CallID === Id)
    return String(Id)
  }
  const heard = ({ presences }: Phone, tag: string, id: string) =>
    presences.some((stanza) => child(stanza, tag)?.attrs['call-id'] === id)

  shows(
    'POST /call/reject',
    'rejects one call: the caller hears it, and the own phone stops ringing',
    async () => {
      const [other, id] = [await ring(), await ring()]
      const { event } = await told.wait('CallOffer', ({ CallID }) => CallID === id)
      const { data, error } = await shop.post('/call/reject', { CallID: id, Phone: event.From })
      expect(data, error).to.deep.equal({ Details: 'Call rejected' })
      await eventually(() => heard(ana, 'reject', id), 'rejected for the caller')
      await eventually(() => heard(shop.phone, 'terminate', id), 'ended on the own phone')
      expect([stateOf(other), stateOf(id)]).to.deep.equal(['ringing', 'rejected'])
      const again = await shop.post('/call/reject', { call_id: other, call_from: ana.account.phone })
      expect(again, again.error).to.include({ status: 200 })
    },
  )

  refuses('POST /call/reject', 'an unknown call', async () => {
    const id = await ring()
    const unknown = await shop.post('/call/reject', { CallID: 'NOSUCHCALL', Phone: ana.account.phone })
    expect(unknown).to.include({ status: 404, error: 'Call not found' })
    expect(await shop.post('/call/reject', { CallID: id })).to.include({ error: 'Missing Phone in Payload' })
    expect(await shop.post('/call/reject', { CallID: 'a@b', Phone: ana.account.phone })).to.include({
      status: 400,
    })
    expect(stateOf(id)).to.equal('ringing')
  })

  const links = () => network()['CallLinks'] as { Token: string; From: string; Media: string }[]

  shows('POST /call/link', 'creates links for audio and video, also for a planned call', async () => {
    for (const [Media, folder] of [
      ['audio', 'voice'],
      ['video', 'video'],
    ] as const) {
      const { data, error } = await shop.post('/call/link', { Media, Start: '2030-12-24T18:00:00Z' })
      expect(data, error).to.have.property('Link', `https://call.whatsapp.com/${folder}/${data.Token}`)
      const made = links().find(({ Token }) => Token === data.Token)
      expect(made).to.include({ From: shop.phone.account.phone, Media })
    }
  })

  refuses('POST /call/link', 'other media, and a time that is none', async () => {
    const before = links().length
    expect(await shop.post('/call/link', { Media: 'smell' })).to.include({ status: 400 })
    expect(await shop.post('/call/link', { Start: 'tomorrow' })).to.include({ status: 400 })
    expect(links()).to.have.length(before)
  })
})
