import { expect } from 'chai'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

const stock = definePlugin({
  name: 'stock',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/stock/call', {
      summary: 'Any call of Baileys',
      body: T.Object({ Name: T.String({ format: 'name' }), Args: T.Array(T.Unknown()) }),
      handle: async ({ session, body }) => {
        const calls = session.socket.wa as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
        return { Answer: (await calls[body.Name]?.(...body.Args)) ?? null }
      },
    }),
  ],
})

/** What no endpoint asks for, as unmodified Baileys asks for it. */
describe('groups of the local network', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let jid: string
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [stock] }))
    const body = { GroupName: 'Team', Participants: [ana.account.phone] }
    jid = (await session.post('/group/create', body)).data.JID
  })
  after(() => world.stop())

  const call = async (Name: string, ...Args: unknown[]) => {
    const answer = await session.post('/stock/call', { Name, Args })
    expect(answer, answer.error).to.include({ success: true })
    return answer.data.Answer
  }

  it('list membership requests, and add approved people', async () => {
    await call('groupJoinApprovalMode', jid, 'on')
    const code = await call('groupInviteCode', jid)
    expect(await call('groupGetInviteInfo', code)).to.include({ subject: 'Team', joinApprovalMode: true })
    const [bea, caio] = [await world.phone('Bea'), await world.phone('Caio')]
    for (const phone of [bea, caio]) await phone.act({ Action: 'joinGroup', Text: code })
    const asking = await call('groupRequestParticipantsList', jid)
    expect(asking.map((one: { jid: string }) => one.jid)).to.deep.equal([bea.account.lid, caio.account.lid])
    const decide = (phone: Phone, decision: string) =>
      call('groupRequestParticipantsUpdate', jid, [phone.account.lid], decision)
    expect(await decide(bea, 'approve')).to.deep.equal([{ status: '200', jid: bea.account.lid }])
    await decide(caio, 'reject')
    expect(await decide(caio, 'approve')).to.deep.equal([{ status: '404', jid: caio.account.lid }])
    const { participants } = await call('groupMetadata', jid)
    const members = participants.map(({ id }: { id: string }) => id)
    expect(members).to.include(bea.account.lid).and.not.include(caio.account.lid)
  })

  it('let members add others if the setting allows it', async () => {
    const dora = await world.phone('Dora')
    const add = () =>
      ana.act({ Action: 'addToGroup', Chat: jid, Participants: [dora.account.phone] }).then(
        () => 200,
        (error: { code: number }) => error.code,
      )
    expect(await add()).to.equal(403)
    await call('groupMemberAddMode', jid, 'all_member_add')
    expect(await add()).to.equal(200)
  })

  it('refuse decisions about nobody, settings without a value, and invitations of somebody else', async () => {
    const team = String((await ana.act({ Action: 'createGroup', Text: 'Hers' }))['JID'])
    const code = (action: { Action: string; [field: string]: unknown }) =>
      ana.act({ Chat: team, ...action }).then(
        () => 200,
        (error: { code: number }) => error.code,
      )
    expect(await code({ Action: 'approve', Participants: [] })).to.equal(400)
    expect(await code({ Action: 'setPrivacy', Data: { last: 'nobody' } })).to.equal(400)
    expect(await code({ Action: 'setPrivacy', Data: { online: 'contacts' } })).to.equal(400)
    expect(await code({ Action: 'setAbout', Text: 'x'.repeat(140) })).to.equal('NETWORK_FORBIDDEN')
    const [fay, gil] = [await world.phone('Fay'), await world.phone('Gil')]
    await fay.act({ Action: 'groupPrivacy', Text: 'none' })
    const invite = { Action: 'inviteToGroup', Chat: team, Participants: [fay.account.phone] }
    const [{ Code } = { Code: '' }] = (await ana.act(invite))['Invitations'] as { Code: string }[]
    const accept = (admin: Phone) =>
      fay.act({ Action: 'acceptInvite', Chat: team, Text: Code, Participants: [admin.account.phone] }).then(
        () => 200,
        (error: { code: number }) => error.code,
      )
    expect([await accept(gil), await accept(ana)]).to.deep.equal([404, 200])
  })

  it('are listed by their community', async () => {
    const { data } = await session.post('/community/create', { CommunityName: 'Village' })
    await session.post('/community/add', { CommunityJID: data.JID, GroupJID: jid })
    const { linkedGroups } = await call('communityFetchLinkedGroups', data.JID)
    const names = linkedGroups.map(({ subject }: { subject: string }) => subject)
    expect(names).to.have.members(['Village', 'Team'])
  })

  it('are created as groups of a community, whose admins alone may do so', async () => {
    const { data } = await session.post('/community/create', { CommunityName: 'Town' })
    const made = await call('communityCreateGroup', 'Choir', [ana.account.lid], data.JID)
    expect(made).to.include({ subject: 'Choir', linkedParent: data.JID })
    const { linkedGroups } = await call('communityFetchLinkedGroups', data.JID)
    const names = linkedGroups.map(({ subject }: { subject: string }) => subject)
    expect(names).to.have.members(['Town', 'Choir'])
    const own = await ana.act({ Action: 'createGroup', Text: 'Own', Data: { Parent: data.JID } }).then(
      () => 200,
      (error: { code: number }) => error.code,
    )
    expect(own).to.equal(403)
  })

  it('revoke an invitation that was issued for one person', async () => {
    const eva = await world.phone('Eva')
    await eva.act({ Action: 'groupPrivacy', Text: 'none' })
    const [result] = await call('groupParticipantsUpdate', jid, [eva.account.lid], 'add')
    expect(result.status).to.equal('403')
    const { code } = result.content.content[0].attrs
    expect(await call('groupRevokeInviteV4', jid, eva.account.lid)).to.equal(true)
    const accepted = await eva
      .act({ Action: 'acceptInvite', Chat: jid, Text: code, Participants: [session.phone.account.phone] })
      .then(
        () => 200,
        (error: { code: number }) => error.code,
      )
    expect(accepted).to.equal(404)
  })
})
