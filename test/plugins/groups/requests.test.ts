import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { posting } from '../../support/posting.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'
import { type GroupView, viewOf } from './view.ts'

interface Named {
  PhoneNumber: string
  LID: string
  Error: number
}

describe('join requests', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let shop: Phone
  let ana: Phone
  let bea: Phone
  let eva: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [probe.plugin] }))
    shop = session.phone
    bea = await world.phone('Bea')
    eva = await world.phone('Eva')
  })
  after(() => world.stop())

  const group = (jid: string): GroupView => viewOf(world, jid)
  const members = (jid: string): string[] => group(jid).Members.map(({ Phone: phone }) => phone)
  const post = posting(() => session)
  /** A group of the session's own, with Ana as member. */
  const own = async (): Promise<string> => {
    const body = { GroupName: 'Team', Participants: [ana.account.phone] }
    return (await post('/group/create', body)).data.JID
  }
  /** A group of Ana's, in which the session is a plain member. */
  const foreign = async (): Promise<string> => {
    const Participants = [shop.account.phone]
    return String((await ana.act({ Action: 'createGroup', Text: 'Hers', Participants }))['JID'])
  }
  /** An own group that these people ask to join. */
  const asked = async (...people: Phone[]): Promise<string> => {
    const jid = await own()
    await post('/group/approval', { GroupJID: jid, Approval: true })
    for (const phone of people) await phone.act({ Action: 'joinGroup', Text: group(jid).Invite })
    return jid
  }
  const errors = (people: Named[]) =>
    people.map(({ LID, PhoneNumber, Error: code }) => [LID || PhoneNumber, code])

  shows('POST /group/approval', 'makes people ask, and lets them in at once again', async () => {
    const jid = await own()
    const { data } = await post('/group/approval', { GroupJID: jid, Approval: true })
    expect(data.Details).to.equal('Admins approve new members now')
    const { body } = await probe.event(
      'GroupInfo',
      (event) => event['JID'] === jid && event['MembershipApprovalMode'] !== null,
    )
    expect(body['event']).to.deep.nested.include({ 'MembershipApprovalMode.IsJoinApprovalRequired': true })
    await bea.act({ Action: 'joinGroup', Text: group(jid).Invite })
    expect(group(jid)).to.deep.include({ Approval: true, Requests: [bea.account.phone] })
    await post('/group/approval', { GroupJID: jid, Approval: false })
    await eva.act({ Action: 'joinGroup', Text: group(jid).Invite })
    expect(members(jid)).to.include(eva.account.phone).and.not.include(bea.account.phone)
  })

  shows('GET /group/requests', 'lists who asks, with both addresses and the time', async () => {
    const began = Date.now()
    const jid = await asked(bea, eva)
    const { data } = await session.get(`/group/requests?GroupJID=${jid}`)
    expect(data.Requests.map(({ LID }: Named) => LID)).to.deep.equal([bea.account.lid, eva.account.lid])
    const { RequestedAt, ...request } = data.Requests[0]
    expect(request).to.deep.equal({
      JID: bea.account.lid,
      PhoneNumber: bea.account.jid,
      LID: bea.account.lid,
      Method: 'invite_link',
      RequestedBy: '',
    })
    expect(Date.parse(RequestedAt)).to.be.within(began - 1000, Date.now() + 1000)
    expect((await session.get(`/group/requests?GroupJID=${await own()}`)).data).to.deep.equal({
      Requests: [],
    })
  })

  refuses('GET /group/requests', 'an account that is not an admin', async () => {
    expect(await session.get(`/group/requests?GroupJID=${await foreign()}`)).to.include({ status: 403 })
    expect((await session.get('/group/requests')).error).to.equal('Missing GroupJID in Payload')
  })

  shows('POST /group/requests/approve', 'makes members of the people named, and of nobody else', async () => {
    const jid = await asked(bea, eva)
    const { data } = await post('/group/requests/approve', {
      GroupJID: jid,
      ParticipantJID: [bea.account.phone],
    })
    expect(data.Details).to.equal('Join requests approved')
    expect(errors(data.Participants)).to.deep.equal([[bea.account.lid, 0]])
    expect(members(jid)).to.include(bea.account.phone)
    expect(group(jid).Requests).to.deep.equal([eva.account.phone])
    await probe.event(
      'GroupInfo',
      ({ JID, Join }) => JID === jid && (Join as string[]).includes(bea.account.lid),
    )
    const { data: sent } = await post('/send/text', { Phone: jid, Body: 'welcome' })
    await bea.wait(({ id }) => id === sent.Id)
  })

  shows('POST /group/requests/reject', 'removes the request, which may be made again', async () => {
    const jid = await asked(bea, eva)
    const body = { GroupJID: jid, ParticipantJID: [bea.account.lid] }
    expect((await post('/group/requests/reject', body)).data.Details).to.equal('Join requests rejected')
    expect(group(jid).Requests).to.deep.equal([eva.account.phone])
    expect(members(jid)).not.to.include(bea.account.phone)
    await probe.event(
      'GroupInfo',
      ({ JID, MembershipRequestsRevoked: gone }) =>
        JID === jid && (gone as string[]).includes(bea.account.lid),
    )
    await bea.act({ Action: 'joinGroup', Text: group(jid).Invite })
    expect(group(jid).Requests).to.include(bea.account.phone)
  })

  for (const path of ['/group/requests/approve', '/group/requests/reject'] as const) {
    it(`POST ${path} tells for each person whether it was done`, async () => {
      const jid = await asked(bea)
      const ParticipantJID = [ana.account.phone, bea.account.phone]
      const { data } = await post(path, { GroupJID: jid, ParticipantJID })
      expect(data.Details).to.equal('1 of 2 participants not updated')
      expect(errors(data.Participants)).to.deep.equal([
        [ana.account.jid, 404],
        [bea.account.lid, 0],
      ])
      expect(group(jid).Requests).to.deep.equal([])
    })

    refuses(`POST ${path}`, 'an empty list, and an account that is not an admin', async () => {
      const jid = await asked(bea)
      const none = await post(path, { GroupJID: jid, ParticipantJID: [] }, 400)
      expect(none.error).to.equal('Missing ParticipantJID in Payload')
      const nobody = await post(path, { GroupJID: jid, ParticipantJID: ['Bea'] }, 400)
      expect(nobody.error).to.match(/^Could not parse Phone|Invalid/)
      expect(group(jid).Requests).to.deep.equal([bea.account.phone])
      const hers = await foreign()
      await ana.act({ Action: 'approval', Chat: hers })
      await bea.act({ Action: 'joinGroup', Text: group(hers).Invite })
      await post(path, { GroupJID: hers, ParticipantJID: [bea.account.phone] }, 403)
      expect(group(hers).Requests).to.deep.equal([bea.account.phone])
    })
  }

  shows('POST /group/memberadd', 'lets members add others, and admins only again', async () => {
    const jid = await own()
    const add = (phone: Phone) =>
      ana.act({ Action: 'addToGroup', Chat: jid, Participants: [phone.account.phone] }).then(
        () => 'done',
        (error: { code: number }) => error.code,
      )
    const { data } = await post('/group/memberadd', { GroupJID: jid, MemberAddMode: 'all_member_add' })
    expect(data.Details).to.equal('All members can add others now')
    expect(await add(bea)).to.equal('done')
    await probe.event(
      'GroupInfo',
      ({ JID, MemberAddMode }) => JID === jid && MemberAddMode === 'all_member_add',
    )
    expect((await post('/group/info', { GroupJID: jid })).data.MemberAddMode).to.equal('all_member_add')
    await post('/group/memberadd', { GroupJID: jid, MemberAddMode: 'admin_add' })
    expect(await add(eva)).to.equal(403)
  })

  for (const [path, change] of [
    ['/group/approval', { Approval: true }],
    ['/group/memberadd', { MemberAddMode: 'all_member_add' }],
  ] as const)
    refuses(`POST ${path}`, 'an account that is not an admin, and other values', async () => {
      const jid = await foreign()
      const [field = ''] = Object.keys(change)
      await post(path, { GroupJID: jid, ...change }, 403)
      expect((await post(path, { GroupJID: jid }, 400)).error).to.equal(`Missing ${field} in Payload`)
      expect((await post(path, { GroupJID: await own(), [field]: 'nobody' }, 400)).error).to.include(field)
      expect(group(jid)).to.include({ Approval: false, AddMode: 'admin_add' })
    })
})
