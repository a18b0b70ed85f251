import { expect } from 'chai'
import type { Stored } from '../../../plugins/sandbox/phone/messages/store.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('mentioning all members of a group', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bea: Phone
  let group: string
  before(async () => {
    ;({ world, session, ana } = await openShop())
    bea = await world.phone('Bea')
    const Participants = [session.phone.account.phone, bea.account.phone]
    group = String((await ana.act({ Action: 'createGroup', Text: 'Team', Participants }))['JID'])
  })
  after(() => world.stop())

  const send = (path: string, body: object, ContextInfo: object = { MentionAll: true }) =>
    session.post(path, { Phone: group, ...body, ContextInfo })
  const mentionedIn = ({ raw }: Stored): unknown =>
    (raw.extendedTextMessage ?? raw.imageMessage)?.contextInfo?.mentionedJid

  it('is shown to each of them, for a text and for a caption', async () => {
    for (const [path, body] of [
      ['/send/text', { Body: 'all hands' }],
      ['/send/image', { Image: await picture(), Caption: 'all hands' }],
    ] as const) {
      const { data, error } = await send(path, body)
      expect(error).to.equal(undefined)
      for (const phone of [ana, bea]) {
        const mentioned = mentionedIn(await phone.wait(({ id }) => id === data.Id))
        expect(mentioned).to.have.members([ana.account.lid, bea.account.lid])
      }
    }
  })

  it('includes members who joined since, and keeps the quoted message and other mentions', async () => {
    const caio = await world.phone('Caio')
    await ana.act({ Action: 'addToGroup', Chat: group, Participants: [caio.account.phone] })
    const StanzaId = await bea.send(group, { Text: 'when?' })
    await session.phone.wait(({ id }) => id === StanzaId)
    const context = {
      MentionAll: true,
      MentionedJID: [bea.account.lid],
      StanzaId,
      Participant: bea.account.lid,
    }
    const { data, error } = await send('/send/text', { Body: 'now' }, context)
    expect(error).to.equal(undefined)
    const { raw } = await caio.wait(({ id }) => id === data.Id)
    const { mentionedJid, stanzaId } = raw.extendedTextMessage?.contextInfo ?? {}
    expect(mentionedJid).to.have.members([ana, bea, caio].map(({ account }) => account.lid))
    expect(stanzaId).to.equal(StanzaId)
  })

  it('is refused outside of groups, and in groups of others, and nothing is sent', async () => {
    const before = world.counters()['messages']
    const direct = await send('/send/text', { Phone: ana.account.phone, Body: 'x' })
    expect(direct).to.include({ status: 400, error: 'Invalid ContextInfo.MentionAll: needs a group' })
    const foreign = String(
      (await ana.act({ Action: 'createGroup', Text: 'Hers', Participants: [bea.account.phone] }))['JID'],
    )
    expect(await send('/send/text', { Phone: foreign, Body: 'x' })).to.include({ status: 403 })
    expect(world.counters()['messages']).to.equal(before)
  })
})
