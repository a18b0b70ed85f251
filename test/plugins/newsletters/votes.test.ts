import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface View {
  JID: string
  Posts: { ID: string; ServerID: number; Votes: Record<string, number> }[]
}

const Options = ['rye', 'wheat', 'oat']

describe('votes in polls of newsletters', () => {
  let world: World
  /** Follows Bea's newsletter, and owns one that Bea follows. */
  let shop: LinkedSession
  let bea: Phone
  let told: Events
  let hers: string
  before(async () => {
    world = await startWorld()
    shop = await world.linked(await world.phone('Shop'))
    bea = await world.phone('Bea')
    told = await eventsOf(shop)
    hers = String((await bea.act({ Action: 'createNewsletter', Text: 'Street news' }))['JID'])
    await shop.post('/newsletter/subscribe', { JID: hers })
  })
  after(async () => {
    await told.close()
    await world.stop()
  })

  const onNetwork = (jid: string, id: string) =>
    (world.gateway.service('sandbox').network.view()['Newsletters'] as View[])
      .find(({ JID }) => JID === jid)
      ?.Posts.find(({ ID }) => ID === id)
  const asked = async (Max = 1): Promise<string> => {
    const { Id } = await bea.act({ Action: 'poll', Chat: hers, Text: 'Which?', Data: { Options, Max } })
    await told.wait('Message', ({ Info }) => Info.ID === Id)
    return String(Id)
  }
  const vote = (id: string, chosen: string[], chat = hers) =>
    shop.post('/message/vote', { Phone: chat, Id: id, Options: chosen })

  it('are counted by the network, and told to followers with live updates', async () => {
    const id = await asked()
    const Id = String(onNetwork(hers, id)?.ServerID)
    await bea.act({ Action: 'voteNewsletter', Chat: hers, Id, Data: { Options: ['oat'] } })
    await eventually(() => onNetwork(hers, id)?.Votes['oat'] === 1, 'one vote')
    await told.wait('NewsletterLiveUpdate', ({ Messages }) => Messages[0].MessageID === id)
    // Neither no option nor an unknown one.
    for (const unknown of [[], ['spelt']])
      await bea.act({ Action: 'voteNewsletter', Chat: hers, Id, Data: { Options: unknown } })
    await bea.act({ Action: 'voteNewsletter', Chat: hers, Id, Data: { Options: ['rye'] } })
    await eventually(() => onNetwork(hers, id)?.Votes['rye'] === 1, 'the vote is replaced')
    expect(onNetwork(hers, id)?.Votes).to.deep.equal({ rye: 1 })
  })

  shows(
    'POST /message/vote',
    'counts in a newsletter, and is replaced, for one option and several',
    async () => {
      const id = await asked()
      for (const chosen of ['wheat', 'rye']) {
        const { status, error, data } = await vote(id, [chosen])
        expect(status, error).to.equal(200)
        expect(data).to.include({ Details: 'Sent', Chat: hers })
        expect(data.Id).to.match(/^3EB0[0-9A-F]{18}$/)
        expect(Date.parse(data.Timestamp)).to.be.closeTo(Date.now(), 60_000)
        expect(onNetwork(hers, id)?.Votes).to.deep.equal({ [chosen]: 1 })
      }
      const several = await asked(0)
      expect(await vote(several, ['oat', 'rye'])).to.include({ status: 200 })
      expect(onNetwork(hers, several)?.Votes).to.deep.equal({ oat: 1, rye: 1 })
    },
  )

  shows('POST /message/vote', 'counts in the own poll of an own newsletter', async () => {
    const own = (await shop.post('/newsletter/create', { Name: 'Bread news', Description: 'rye' })).data.id
    const poll = { Phone: own, Question: 'Own?', MaxAnswer: 1, Options }
    const { Id } = (await shop.post('/send/poll', poll)).data
    expect(await vote(Id, ['oat'], own)).to.include({ status: 200 })
    expect(onNetwork(own, Id)?.Votes).to.deep.equal({ oat: 1 })
  })

  refuses(
    'POST /message/vote',
    'in a newsletter: other options, too many, none, no poll, unknown posts, and chats that a key does not see',
    async () => {
      const id = await asked()
      const { Id: text } = await bea.act({ Action: 'postNewsletter', Chat: hers, Text: 'no poll' })
      await told.wait('Message', ({ Info }) => Info.ID === text)
      for (const [post, chosen, error] of [
        [id, ['spelt'], 'Invalid Options: "spelt" is not an option of the poll'],
        [id, ['rye', 'oat'], 'Invalid Options: at most 1 can be chosen'],
        [id, [], 'Invalid Options: a vote in a newsletter can not be withdrawn'],
        [String(text), ['rye'], 'Invalid Id: is not a poll'],
      ] as const)
        expect(await vote(post, [...chosen])).to.include({ status: 400, error })
      expect(await vote('3EB0NOWHERE', ['rye'])).to.include({ status: 404, errorCode: 'MESSAGE_UNKNOWN' })
      const session = (await world.gateway.get('/session/summary', shop.headers)).data.Sessions[0].Id
      const key = { Name: 'one chat', Scopes: ['send'], Sessions: [session], Chats: [bea.account.phone] }
      const { Key } = (await world.gateway.post('/keys', key, admin)).data
      const body = { Phone: hers, Id: id, Options: ['rye'] }
      expect(
        await world.gateway.post('/message/vote', body, { token: Key, 'X-Session': session }),
      ).to.include({
        status: 403,
      })
      expect(onNetwork(hers, id)?.Votes).to.deep.equal({})
    },
  )
})
