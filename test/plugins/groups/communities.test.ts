import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { posting } from '../../support/posting.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'
import { viewOf, viewsOf } from './view.ts'

const UNKNOWN = '120363000000000001@g.us'

describe('communities', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop())
  })
  after(() => world.stop())

  const post = posting(() => session)
  const community = async (): Promise<string> =>
    (await post('/community/create', { CommunityName: 'Village' })).data.JID
  const group = async (): Promise<string> => {
    const body = { GroupName: 'Street', Participants: [ana.account.phone] }
    return (await post('/group/create', body)).data.JID
  }
  /** A group and a community of Ana's, in which the session is a plain member. */
  const hers = async (): Promise<{ CommunityJID: string; GroupJID: string }> => {
    const Participants = [session.phone.account.phone]
    const made = await ana.act({ Action: 'createGroup', Text: 'Hers', Participants })
    const parent = await ana.act({ Action: 'createCommunity', Text: 'Hers' })
    const CommunityJID = String(parent['JID'])
    await ana.act({ Action: 'addToGroup', Chat: CommunityJID, Participants })
    return { CommunityJID, GroupJID: String(made['JID']) }
  }
  const announcementsOf = (jid: string) =>
    viewsOf(world).find(({ Parent, Default }) => Parent === jid && Default)

  for (const name of ['Village', 'Us: a_1@home']) {
    shows('POST /community/create', `creates ${name} with an announcement group`, async () => {
      const { data } = await post('/community/create', { CommunityName: name })
      expect(data).to.include({
        Name: name,
        IsParent: true,
        DefaultMembershipApprovalMode: 'request_required',
        OwnerPN: session.phone.account.jid,
      })
      expect(viewOf(world, data.JID)).to.include({ Subject: name, Community: true })
      expect(announcementsOf(data.JID)).to.include({ AdminOnly: true })
      const { data: list } = await session.get('/group/list')
      const announcements = list.Groups.find(
        ({ LinkedParentJID }: { LinkedParentJID: string }) => LinkedParentJID === data.JID,
      )
      expect(announcements).to.include({ IsDefaultSubGroup: true, IsAnnounce: true, IsParent: false })
    })
  }
  refuses('POST /community/create', 'a name that is too long for the network, and an empty one', async () => {
    const before = viewsOf(world).length
    await post('/community/create', { CommunityName: '😀'.repeat(51) }, 502)
    await post('/community/create', { CommunityName: '' }, 400)
    expect(viewsOf(world)).to.have.length(before)
  })

  shows('POST /community/add', 'links groups, whose members receive the announcements', async () => {
    const [CommunityJID, one, two] = [await community(), await group(), await group()]
    const { data } = await post('/community/add', {
      CommunityJID: CommunityJID.replace('@g.us', ''),
      GroupJID: [one, two.replace('@g.us', ''), UNKNOWN],
    })
    expect(data.success).to.deep.equal([one, two])
    expect(data.failed).to.deep.equal([UNKNOWN])
    expect(data.Groups).to.deep.include({ JID: UNKNOWN, Error: 404 })
    expect([viewOf(world, one).Parent, viewOf(world, two).Parent]).to.deep.equal([CommunityJID, CommunityJID])
    expect((await post('/group/info', { GroupJID: one })).data.LinkedParentJID).to.equal(CommunityJID)
    const announcements = announcementsOf(CommunityJID)?.JID ?? ''
    const sent = await post('/send/text', { Phone: announcements, Body: 'hear, hear' })
    await ana.wait(({ id }) => id === sent.data.Id)
    const again = await post('/community/add', { CommunityJID, GroupJID: one })
    expect(again.data).to.deep.equal({ success: [], failed: [one], Groups: [{ JID: one, Error: 409 }] })
  })
  shows('POST /community/remove', 'unlinks groups', async () => {
    const [CommunityJID, GroupJID] = [await community(), await group()]
    await post('/community/add', { CommunityJID, GroupJID })
    const { data } = await post('/community/remove', { CommunityJID, GroupJID: [GroupJID, UNKNOWN] })
    expect(data).to.deep.include({ success: [GroupJID], failed: [UNKNOWN] })
    expect(viewOf(world, GroupJID).Parent).to.equal('')
  })
  for (const path of ['/community/add', '/community/remove'] as const) {
    refuses(
      `POST ${path}`,
      'an account that is not an admin of the community, and an unknown community',
      async () => {
        const body = await hers()
        const linked = path === '/community/remove'
        if (linked) await ana.act({ Action: 'linkGroup', Chat: body.CommunityJID, Text: body.GroupJID })
        const answer = await post(path, body, 403)
        expect(answer.error).to.equal('WhatsApp refused: forbidden (403)')
        expect(viewOf(world, body.GroupJID).Parent).to.equal(linked ? body.CommunityJID : '')
        const unknown = await post(path, { ...body, CommunityJID: UNKNOWN }, 404)
        expect(unknown.error).to.equal(`${UNKNOWN} not found`)
        await post(path, { ...body, GroupJID: ['nonsense'] }, 400)
      },
    )
  }
  it('does not link a group of which the account is not an admin', async () => {
    const [CommunityJID, { GroupJID }] = [await community(), await hers()]
    const { data } = await post('/community/add', { CommunityJID, GroupJID })
    expect(data.Groups).to.deep.equal([{ JID: GroupJID, Error: 403 }])
    expect(viewOf(world, GroupJID).Parent).to.equal('')
  })

  it('leaves a community with all of its groups', async () => {
    const { CommunityJID, GroupJID } = await hers()
    await ana.act({ Action: 'linkGroup', Chat: CommunityJID, Text: GroupJID })
    await post('/group/leave', { GroupId: CommunityJID })
    for (const jid of [CommunityJID, GroupJID, announcementsOf(CommunityJID)?.JID ?? ''])
      expect(viewOf(world, jid).Members.map(({ Phone }) => Phone)).to.deep.equal([ana.account.phone])
  })
})
