import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface View extends Record<string, unknown> {
  JID: string
  Followers: { Phone: string; Role: string; Muted: boolean }[]
  Posts: { ID: string; ServerID: number; Reactions: Record<string, number> }[]
  Invited: string[]
  Picture: string
}

describe('verbs of newsletters', () => {
  let world: World
  /** Follows Bea's newsletter, and owns one that Bea follows. */
  let shop: LinkedSession
  let bea: Phone
  let told: Events
  let hers: string
  let own: string
  before(async () => {
    world = await startWorld()
    shop = await world.linked(await world.phone('Shop'))
    bea = await world.phone('Bea')
    told = await eventsOf(shop)
    hers = String((await bea.act({ Action: 'createNewsletter', Text: 'Street news' }))['JID'])
    own = (await shop.post('/newsletter/create', { Name: 'Bread news', Description: 'rye' })).data.id
    await bea.act({ Action: 'followNewsletter', Chat: own })
  })
  after(async () => {
    await told.close()
    await world.stop()
  })

  const onNetwork = (jid: string): View =>
    (world.gateway.service('sandbox').network.view()['Newsletters'] as View[]).find(
      ({ JID }) => JID === jid,
    ) as View
  const roleOf = (jid: string, { account: { phone } }: Phone) =>
    onNetwork(jid).Followers.find(({ Phone }) => Phone === phone)
  const post = async (path: string, body: object) => {
    const { data, error } = await shop.post(path, body)
    expect(data, error).to.be.an('object')
    return data
  }
  const follow = () => post('/newsletter/subscribe', { JID: hers })

  it('fail on an answer with an error beside its data', async () => {
    await follow()
    const Phone = shop.phone.account.phone
    for (const [Code, status, error] of [
      [404, 404, 'Newsletter'],
      [403, 403, 'refused (403)'],
      [418, 502, 'Failed to read the newsletter: refused (418)'],
    ] as const) {
      world.fault({ Phone, Fault: 'mexError', Code })
      const answer = await shop.post('/newsletter/info', { JID: hers })
      expect(answer).to.include({ status })
      expect(answer.error).to.include(error)
    }
  })

  shows(
    ['POST /newsletter/mute', 'POST /newsletter/unmute'],
    'change it on the network, and raise an event',
    async () => {
      await follow()
      for (const [verb, mute] of [
        ['mute', 'on'],
        ['unmute', 'off'],
      ] as const) {
        await post(`/newsletter/${verb}`, { JID: hers })
        expect(roleOf(hers, shop.phone)).to.include({ Muted: mute === 'on' })
        const { event } = await told.wait('NewsletterMuteChange', (one) => one.mute === mute)
        expect(event).to.deep.equal({ id: hers, mute })
      }
    },
  )

  refuses(
    ['POST /newsletter/mute', 'POST /newsletter/unmute'],
    'a newsletter that the account does not follow',
    async () => {
      const other = String((await bea.act({ Action: 'createNewsletter', Text: 'Another' }))['JID'])
      for (const verb of ['mute', 'unmute'])
        expect(await shop.post(`/newsletter/${verb}`, { JID: other })).to.include({ status: 404 })
      expect(onNetwork(other).Followers).to.have.length(1)
    },
  )

  const reactions = () => onNetwork(hers).Posts[0]?.Reactions

  shows('POST /newsletter/react', 'is counted, replaced and removed', async () => {
    await follow()
    await bea.act({ Action: 'postNewsletter', Chat: hers, Text: 'the market opens' })
    const [{ ServerID: MessageServerID = 0 } = {}] = onNetwork(hers).Posts
    await post('/newsletter/react', { JID: hers, MessageServerID, Body: '👍' })
    expect(reactions()).to.deep.equal({ '👍': 1 })
    await told.wait('NewsletterLiveUpdate', ({ Messages }) => Messages[0].ReactionCounts['👍'] === 1)
    await post('/newsletter/react', { JID: hers, MessageServerID, Body: '❤️' })
    expect(reactions()).to.deep.equal({ '❤️': 1 })
    await post('/newsletter/react', { JID: hers, MessageServerID, Body: '' })
    expect(reactions()).to.deep.equal({})
  })

  refuses('POST /newsletter/react', 'an unknown post', async () => {
    const before = reactions()
    const unknown = await shop.post('/newsletter/react', { JID: hers, MessageServerID: 9999, Body: '👍' })
    expect(unknown).to.include({ status: 404 })
    expect(reactions()).to.deep.equal(before)
  })

  shows('POST /newsletter/unfollow', 'leaves it, raises an event and ends the live updates', async () => {
    await follow()
    await post('/newsletter/unfollow', { JID: hers })
    expect(roleOf(hers, shop.phone)).to.equal(undefined)
    const { event } = await told.wait('NewsletterLeave', ({ id }) => id === hers)
    expect(event).to.deep.equal({ id: hers, role: 'subscriber' })
    expect(await shop.post('/newsletter/unfollow', { JID: hers })).to.include({ status: 404 })
  })

  refuses('POST /newsletter/unfollow', 'the owner', async () => {
    expect(await shop.post('/newsletter/unfollow', { JID: own })).to.include({ status: 403 })
    expect(roleOf(own, shop.phone)).to.include({ Role: 'OWNER' })
  })

  shows(
    ['POST /newsletter/search', 'POST /newsletter/directory'],
    'find newsletters, page by page',
    async () => {
      const found = await post('/newsletter/search', { Text: 'bread' })
      expect(found.Newsletter.map(({ id }: { id: string }) => id)).to.deep.equal([own])
      expect(found.Newsletter[0].thread_metadata.name.text).to.equal('Bread news')
      expect(found.Cursor).to.equal('')
      expect((await post('/newsletter/search', { Text: 'no such thing' })).Newsletter).to.deep.equal([])
      const first = await post('/newsletter/directory', { View: 'POPULAR', Countries: ['br'], Limit: 1 })
      expect(first.Newsletter.map(({ id }: { id: string }) => id)).to.deep.equal([own])
      const next = await post('/newsletter/directory', { View: 'POPULAR', Limit: 1, Cursor: first.Cursor })
      expect(next.Newsletter[0].id).not.to.equal(own)
    },
  )

  refuses(
    ['POST /newsletter/search', 'POST /newsletter/directory'],
    'no text, and an unknown view',
    async () => {
      expect(await shop.post('/newsletter/directory', { View: 'BEST' })).to.include({ status: 400 })
      expect(await shop.post('/newsletter/search', {})).to.include({ error: 'Missing Text in Payload' })
    },
  )

  shows(
    ['POST /newsletter/photo', 'POST /newsletter/photo/remove'],
    'set the picture and remove it',
    async () => {
      await post('/newsletter/photo', { JID: own, Image: await picture() })
      const { Picture } = onNetwork(own)
      expect(Picture).to.match(/^\d+$/)
      const { data } = await shop.post('/newsletter/info', { JID: own })
      expect(data.thread_metadata.picture).to.include({ id: Picture })
      await post('/newsletter/photo/remove', { JID: own })
      expect(onNetwork(own).Picture).to.equal('')
    },
  )

  refuses(
    ['POST /newsletter/photo', 'POST /newsletter/photo/remove'],
    'what is no picture, and followers',
    async () => {
      await post('/newsletter/photo', { JID: own, Image: await picture() })
      const { Picture } = onNetwork(own)
      expect(await shop.post('/newsletter/photo', { JID: own, Image: 'aGVsbG8=' })).to.include({
        status: 415,
      })
      expect(await shop.post('/newsletter/photo', { JID: hers, Image: await picture() })).to.include({
        status: 403,
      })
      expect(await shop.post('/newsletter/photo/remove', { JID: hers })).to.include({ status: 403 })
      expect(onNetwork(own).Picture).to.equal(Picture)
    },
  )

  shows(
    ['POST /newsletter/admin/invite', 'POST /newsletter/admin/revoke'],
    'send an invitation, and revoke it',
    async () => {
      const who = { JID: own, Phone: bea.account.phone }
      const { Id } = await post('/newsletter/admin/invite', { ...who, Caption: 'Will you help?' })
      const { message } = await bea.wait(({ id }) => id === Id)
      expect(message['newsletterAdminInviteMessage']).to.include({
        newsletterJid: own,
        newsletterName: 'Bread news',
        caption: 'Will you help?',
      })
      expect(onNetwork(own).Invited).to.deep.equal([bea.account.phone])
      await post('/newsletter/admin/revoke', who)
      expect(onNetwork(own).Invited).to.deep.equal([])
      const accepted = await bea.act({ Action: 'acceptAdmin', Chat: own }).catch(({ code }) => code)
      expect(accepted).to.equal('NETWORK_FORBIDDEN')
    },
  )

  refuses(
    ['POST /newsletter/admin/invite', 'POST /newsletter/admin/revoke'],
    'who is not the owner, and an invitation that there is not',
    async () => {
      const before = bea.messages().length
      const answer = await shop.post('/newsletter/admin/invite', { JID: hers, Phone: bea.account.phone })
      expect(answer).to.include({ status: 403 })
      const revoked = await shop.post('/newsletter/admin/revoke', { JID: own, Phone: bea.account.phone })
      expect(revoked).to.include({ status: 404 })
      expect(bea.messages()).to.have.length(before)
      expect(onNetwork(own).Invited).to.deep.equal([])
    },
  )

  refuses(
    ['POST /newsletter/admin/demote', 'POST /newsletter/transfer'],
    'who is no admin, and the newsletters of others',
    async () => {
      const who = { JID: own, Phone: bea.account.phone }
      expect(await shop.post('/newsletter/admin/demote', who)).to.include({ status: 502 })
      expect(await shop.post('/newsletter/transfer', { ...who, JID: hers })).to.include({ status: 403 })
      expect(roleOf(own, bea)).to.include({ Role: 'SUBSCRIBER' })
      expect(roleOf(hers, bea)).to.include({ Role: 'OWNER' })
    },
  )

  shows(['POST /newsletter/admin/demote', 'POST /newsletter/transfer'], 'change roles', async () => {
    const who = { JID: own, Phone: bea.account.phone }
    await post('/newsletter/admin/invite', who)
    await bea.act({ Action: 'acceptAdmin', Chat: own })
    expect(roleOf(own, bea)).to.include({ Role: 'ADMIN' })
    await post('/newsletter/admin/demote', who)
    expect(roleOf(own, bea)).to.include({ Role: 'SUBSCRIBER' })
    await post('/newsletter/transfer', who)
    expect([roleOf(own, bea)?.Role, roleOf(own, shop.phone)?.Role]).to.deep.equal(['OWNER', 'ADMIN'])
  })

  refuses('POST /newsletter/admin/accept', 'without an invitation', async () => {
    expect(await shop.post('/newsletter/admin/accept', { JID: hers })).to.include({ status: 404 })
    expect(roleOf(hers, shop.phone)).to.equal(undefined)
  })

  shows('POST /newsletter/admin/accept', 'makes the account an admin', async () => {
    const { Id } = await bea.act({
      Action: 'inviteAdmin',
      Chat: hers,
      Text: 'Street news',
      Participants: [shop.phone.account.phone],
    })
    const { event } = await told.wait('Message', ({ Info }) => Info.ID === Id)
    const { newsletterJid: JID } = event.Message.newsletterAdminInviteMessage
    await post('/newsletter/admin/accept', { JID })
    expect(roleOf(hers, shop.phone)).to.include({ Role: 'ADMIN' })
  })
})
