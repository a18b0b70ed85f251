import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { posting } from '../../support/posting.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'
import { type GroupView, viewOf } from './view.ts'

describe('invitations to groups', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let shop: Phone
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [probe.plugin] }))
    shop = session.phone
    await shop.act({ Action: 'groupPrivacy', Text: 'none' })
  })
  after(() => world.stop())

  const group = (jid: string): GroupView => viewOf(world, jid)
  const members = (jid: string): string[] => group(jid).Members.map(({ Phone: phone }) => phone)
  const post = posting(() => session)
  const hers = async (): Promise<string> =>
    String((await ana.act({ Action: 'createGroup', Text: 'Hers' }))['JID'])
  /** Ana can't add the shop, and sends it an invitation. */
  const invited = async (): Promise<{ jid: string; id: string; code: string }> => {
    const jid = await hers()
    const order = { Action: 'inviteToGroup', Chat: jid, Text: 'Hers', Participants: [shop.account.phone] }
    const { Invitations } = await ana.act(order)
    const [{ Id, Code } = { Id: '', Code: '' }] = Invitations as { Id: string; Code: string }[]
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === Id)
    return { jid, id: Id, code: Code }
  }

  shows('POST /group/inviteinfo', 'shows the group of a code or link, without joining it', async () => {
    const jid = await hers()
    const { Invite } = group(jid)
    for (const Code of [Invite, `https://chat.whatsapp.com/${Invite}`]) {
      const { data } = await post('/group/inviteinfo', { Code })
      expect(data).to.include({ JID: jid, Name: 'Hers', OwnerPN: ana.account.jid, ParticipantCount: 1 })
    }
    expect(members(jid)).to.deep.equal([ana.account.phone])
  })

  refuses('POST /group/inviteinfo', 'unknown, revoked and invalid codes', async () => {
    const { Invite } = group(await hers())
    expect((await post('/group/inviteinfo', { Code: 'x'.repeat(22) }, 404)).error).to.equal(
      'Invite not found',
    )
    expect((await post('/group/inviteinfo', { Code: 'a@b.c' }, 400)).error).to.match(/^Invalid Code/)
    const jid = await hers()
    const { Invite: old } = group(jid)
    await ana.act({ Action: 'resetInvite', Chat: jid })
    const revoked = await post('/group/inviteinfo', { Code: old }, 404)
    expect(revoked.details).to.equal('It was reset or has expired')
    expect(Invite).not.to.equal(old)
    expect(members(jid)).to.deep.equal([ana.account.phone])
  })

  shows('POST /group/acceptinvite', 'joins the group of a received invitation', async () => {
    const { jid, id } = await invited()
    expect(members(jid)).to.deep.equal([ana.account.phone])
    const { data } = await post('/group/acceptinvite', { Phone: ana.account.phone, Id: id })
    expect(data).to.deep.equal({ Details: 'Invitation accepted', GroupJID: jid })
    expect(members(jid)).to.include(shop.account.phone)
    await probe.event('JoinedGroup', ({ JID, Reason }) => JID === jid && Reason === 'invite')
    const said = await ana.send(jid, { Text: 'welcome' })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === said)
    const again = await post('/group/acceptinvite', { Phone: ana.account.phone, Id: id }, 404)
    expect(again.error).to.equal('Invite not found')
  })

  refuses('POST /group/acceptinvite', 'other messages, unknown ones, and revoked invitations', async () => {
    const { jid, id } = await invited()
    const accept = (Id: string, status: number) =>
      post('/group/acceptinvite', { Phone: ana.account.phone, Id }, status)
    expect((await accept('NOWHERE', 404)).errorCode).to.equal('MESSAGE_UNKNOWN')
    const text = await ana.send(shop.account.phone, { Text: 'join us' })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === text)
    expect((await accept(text, 400)).error).to.equal('Invalid Id: is not an invitation')
    await ana.act({ Action: 'revokeInvitation', Chat: jid, Participants: [shop.account.phone] })
    expect((await accept(id, 404)).error).to.equal('Invite not found')
    expect(members(jid)).to.deep.equal([ana.account.phone])
  })

  it('POST /group/acceptinvite opens no group that the key may not see', async () => {
    const { jid, id } = await invited()
    const key = { Name: 'crm', Scopes: ['manage'], Chats: [ana.account.phone] }
    const { data } = await post('/keys', key)
    const accept = () =>
      world.gateway.post('/group/acceptinvite', { Phone: ana.account.phone, Id: id }, { token: data.Key })
    expect(await accept()).to.include({ status: 404, error: 'Invite not found' })
    expect(members(jid)).to.deep.equal([ana.account.phone])
    const wider = await post('/keys', { ...key, Chats: [ana.account.phone, jid] })
    const answer = await world.gateway.post(
      '/group/acceptinvite',
      { Phone: ana.account.phone, Id: id },
      { token: wider.data.Key },
    )
    expect(answer, answer.error).to.include({ status: 200 })
    expect(members(jid)).to.include(shop.account.phone)
  })

  /** An own group with an invitation for somebody who can't be added. */
  const inviting = async (shy: Phone): Promise<{ jid: string; code: string; until: string }> => {
    await shy.act({ Action: 'groupPrivacy', Text: 'none' })
    const body = { GroupName: 'Team', Participants: [ana.account.phone, shy.account.phone] }
    const { data } = await post('/group/create', body)
    const refused = data.Participants.find(({ Error: code }: { Error: number }) => code === 403)
    return { jid: data.JID, code: refused.AddRequest.Code, until: refused.AddRequest.Expiration }
  }
  const acceptBy = (phone: Phone, jid: string, Text: string) =>
    phone.act({ Action: 'acceptInvite', Chat: jid, Text, Participants: [shop.account.phone] }).then(
      () => 'done',
      (error: { code: number }) => error.code,
    )

  shows('POST /group/sendinvite', 'reaches the person, who joins by it', async () => {
    const shy = await world.phone('Shy')
    const { jid, code, until } = await inviting(shy)
    const body = {
      GroupJID: jid,
      Phone: shy.account.phone,
      Code: code,
      Expiration: until,
      Caption: 'Come in',
    }
    const { data } = await post('/group/sendinvite', body)
    const { message } = await shy.wait(({ id }) => id === data.Id)
    const { inviteExpiration, ...invite } = message['groupInviteMessage'] as Record<string, unknown>
    expect(invite).to.include({ groupJid: jid, groupName: 'Team', inviteCode: code, caption: 'Come in' })
    expect(Number(inviteExpiration)).to.equal(Date.parse(until) / 1000)
    expect(await acceptBy(shy, jid, String(invite['inviteCode']))).to.equal('done')
    expect(members(jid)).to.include(shy.account.phone)
  })

  refuses('POST /group/sendinvite', 'other times, and a group of which it is no member', async () => {
    const shy = await world.phone('Shy')
    const { jid, code, until } = await inviting(shy)
    const body = { GroupJID: jid, Phone: shy.account.phone, Code: code, Expiration: until }
    const late = await post('/group/sendinvite', { ...body, Expiration: 'soon' }, 400)
    expect(late.error).to.match(/^Invalid Expiration/)
    await post('/group/sendinvite', { ...body, GroupJID: await hers() }, 403)
    expect(shy.messages()).to.deep.equal([])
  })

  shows('POST /group/revokeinvite', 'ends the invitation of a person', async () => {
    const [shy, other] = [await world.phone('Shy'), await world.phone('Other')]
    const { jid, code } = await inviting(shy)
    const people = [shy.account.phone, other.account.phone]
    const { data } = await post('/group/revokeinvite', { GroupJID: jid, ParticipantJID: people })
    expect(data.Details).to.equal('1 of 2 participants not updated')
    expect(data.Participants.map(({ Error: code }: { Error: number }) => code)).to.deep.equal([0, 404])
    expect(await acceptBy(shy, jid, code)).to.equal(404)
    expect(members(jid)).not.to.include(shy.account.phone)
  })

  refuses('POST /group/revokeinvite', 'an empty list, and an account that is not an admin', async () => {
    const shy = await world.phone('Shy')
    const { jid, code } = await inviting(shy)
    const none = await post('/group/revokeinvite', { GroupJID: jid, ParticipantJID: [] }, 400)
    expect(none.error).to.equal('Missing ParticipantJID in Payload')
    await ana.act({ Action: 'leaveGroup', Chat: jid })
    const foreign = await invited()
    await post('/group/acceptinvite', { Phone: ana.account.phone, Id: foreign.id })
    await post('/group/revokeinvite', { GroupJID: foreign.jid, ParticipantJID: [shy.account.phone] }, 403)
    expect(await acceptBy(shy, jid, code)).to.equal('done')
  })

  shows('POST /group/photo/remove', 'removes the picture, for everyone', async () => {
    const { data } = await post('/group/create', { GroupName: 'Team', Participants: [ana.account.phone] })
    await post('/group/photo', { GroupJID: data.JID, Image: await picture() })
    expect(group(data.JID).Picture).not.to.equal('')
    const removed = await post('/group/photo/remove', { GroupJID: data.JID })
    expect(removed.data.Details).to.equal('Group Photo removed')
    expect(group(data.JID).Picture).to.equal('')
    await probe.event('Picture', ({ JID, Remove }) => JID === data.JID && Remove === true)
    expect(await session.post('/user/avatar', { Phone: data.JID })).to.include({ status: 404 })
  })

  refuses('POST /group/photo/remove', 'a member of a locked group, and strangers', async () => {
    const { jid, id } = await invited()
    const Image = (await picture()).split(',')[1]
    await ana.act({ Action: 'groupPicture', Chat: jid, Data: { Image } })
    const { Picture } = group(jid)
    await post('/group/photo/remove', { GroupJID: jid }, 403)
    await post('/group/acceptinvite', { Phone: ana.account.phone, Id: id })
    await ana.act({ Action: 'lock', Chat: jid })
    await post('/group/photo/remove', { GroupJID: jid }, 403)
    expect(group(jid).Picture).to.equal(Picture)
    await post('/group/photo/remove', { GroupJID: '120363000000000001@g.us' }, 404)
  })
})
