import { get } from 'node:https'
import { expect } from 'chai'
import sharp from 'sharp'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { posting } from '../../support/posting.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { type GroupView, viewOf } from './view.ts'

const UNKNOWN = '120363000000000001@g.us'

describe('groups', () => {
  const began = Date.now()
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bea: Phone
  let shop: Phone
  before(async () => {
    world = await startWorld()
    shop = await world.phone('Shop')
    session = await world.linked(shop)
    ana = await world.phone('Ana')
    bea = await world.phone('Bea')
  })
  after(() => world.stop())

  const numbers = (...phones: Phone[]): string[] => phones.map(({ account }) => account.phone)
  const group = (jid: string): GroupView => viewOf(world, jid)
  const roles = (jid: string): Record<string, string> =>
    Object.fromEntries(group(jid).Members.map(({ Phone: phone, Role }) => [phone, Role]))

  /** A group of the session's own. */
  const own = async (name = 'Team', ...people: Phone[]): Promise<string> => {
    const Participants = numbers(...(people.length > 0 ? people : [ana]))
    const answer = await session.post('/group/create', { GroupName: name, Participants })
    expect(answer, answer.error).to.include({ status: 200 })
    return answer.data.JID
  }
  /** A group of Ana's, in which the session is a plain member. */
  const foreign = async (name = 'Hers'): Promise<string> => {
    const Participants = numbers(shop, bea)
    return String((await ana.act({ Action: 'createGroup', Text: name, Participants }))['JID'])
  }
  const download = (id: string): Promise<Buffer> => {
    const { mediaHost, ca } = world.gateway.service('sandbox').network
    return new Promise((resolve, reject) => {
      get(`https://${mediaHost}/profile/${id}`, { ca }, (response) => {
        response.toArray().then((chunks) => resolve(Buffer.concat(chunks)), reject)
      }).on('error', reject)
    })
  }
  const post = posting(() => session)

  describe('create', () => {
    shows('POST /group/create', 'creates a group and returns its members', async () => {
      const { data } = await post('/group/create', {
        GroupName: 'Team',
        Participants: numbers(ana, bea),
      })
      expect(data).to.include({ name: 'Team', owner: shop.account.jid, JID: data.jid })
      expect(data.added).to.have.members([ana.account.jid, bea.account.jid])
      expect(data.failed).to.deep.equal([])
      expect(roles(data.jid)).to.deep.equal({
        [shop.account.phone]: 'superadmin',
        [ana.account.phone]: 'member',
        [bea.account.phone]: 'member',
      })
      const sent = await post('/send/text', { Phone: data.jid, Body: 'welcome' })
      await bea.wait(({ id }) => id === sent.data.Id)
    })

    it('reports people who were not added, with error code and invitation data', async () => {
      const shy = await world.phone('Shy')
      await shy.act({ Action: 'groupPrivacy', Text: 'none' })
      const { data } = await post('/group/create', {
        GroupName: 'Team',
        Participants: [...numbers(ana, shy), '5511900000000'],
      })
      expect(data.added).to.deep.equal([ana.account.jid])
      expect(data.failed).to.have.members([shy.account.jid, '5511900000000@s.whatsapp.net'])
      const [one, two] = data.Participants.filter((person: { Error: number }) => person.Error)
      expect(one).to.include({ LID: shy.account.lid, Error: 403 })
      expect(two).to.deep.include({ Error: 404, AddRequest: null })
      expect(roles(data.jid)).not.to.include.keys(shy.account.phone)
      const { Code } = one.AddRequest
      await shy.act({ Action: 'acceptInvite', Chat: data.jid, Text: Code, Participants: numbers(shop) })
      expect(roles(data.jid)).to.include({ [shy.account.phone]: 'member' })
    })

    for (const name of ['Team: x_1@y', '@', 'constructor']) {
      it(`keeps the name ${name}`, async () => {
        const jid = await own(name)
        expect(group(jid).Subject).to.equal(name)
        expect((await post('/group/info', { GroupJID: jid })).data.Name).to.equal(name)
      })
    }

    refuses('POST /group/create', 'a name that is too long for the network', async () => {
      const before = world.gateway.service('sandbox').network.view()['Groups'] as unknown[]
      const body = { GroupName: '😀'.repeat(51), Participants: numbers(ana) }
      const answer = await post('/group/create', body, 502)
      expect(answer.error).to.equal('Failed to create the group: not-acceptable (406)')
      expect(world.gateway.service('sandbox').network.view()['Groups']).to.have.length(before.length)
    })

    it('refuses an empty list and invalid people', async () => {
      const none = await post('/group/create', { GroupName: 'x', Participants: [] }, 400)
      expect(none.error).to.equal('Missing Participants in Payload')
      await post('/group/create', { GroupName: 'x', Participants: ['Ana'] }, 400)
      await post('/group/create', { GroupName: 'x', Participants: [UNKNOWN] }, 400)
    })
  })

  describe('reading', () => {
    shows('GET /group/list', 'lists every group, also those created by others', async () => {
      const [mine, hers] = [await own('Mine'), await foreign('Hers')]
      const { data } = await session.get('/group/list')
      const names = new Map(data.Groups.map((one: { JID: string; Name: string }) => [one.JID, one.Name]))
      expect([names.get(mine), names.get(hers)]).to.deep.equal(['Mine', 'Hers'])
    })
    shows('GET /group/myall', 'lists the groups of which the account is owner or admin', async () => {
      const [mine, hers, shared] = [await own(), await foreign(), await foreign()]
      await ana.act({ Action: 'promote', Chat: shared, Participants: numbers(shop) })
      const { data } = await session.get('/group/myall')
      const jids = data.Groups.map(({ JID }: { JID: string }) => JID)
      expect(jids).to.include.members([mine, shared]).and.not.include(hers)
    })
    for (const path of ['/group/list', '/group/myall'] as const) {
      refuses(`GET ${path}`, 'a rate-limited account', async () => {
        const eager = await world.linked(await world.phone('Eager'))
        const answers = await Promise.all(Array.from({ length: 21 }, () => eager.get(path)))
        const refused = answers.filter(({ success }) => !success)
        expect(refused).to.have.length(1)
        expect(refused[0]).to.include({ status: 429, error: 'Rate limited by WhatsApp' })
      })
    }

    shows('POST /group/info', 'returns all properties of a group', async () => {
      const jid = await foreign('All of it')
      await ana.act({ Action: 'description', Chat: jid, Text: 'About ☂' })
      await ana.act({ Action: 'lock', Chat: jid })
      await ana.act({ Action: 'announce', Chat: jid })
      await ana.act({ Action: 'ephemeral', Chat: jid, Data: { Seconds: 86400 } })
      await ana.act({ Action: 'approval', Chat: jid })
      const { data } = await post('/group/info', { GroupJID: jid })
      expect(data).to.include({
        JID: jid,
        OwnerJID: ana.account.lid,
        OwnerPN: ana.account.jid,
        Name: 'All of it',
        NameSetBy: ana.account.lid,
        NameSetByPN: ana.account.jid,
        Topic: 'About ☂',
        TopicSetBy: ana.account.lid,
        TopicSetByPN: ana.account.jid,
        IsLocked: true,
        IsAnnounce: true,
        IsEphemeral: true,
        DisappearingTimer: 86400,
        IsJoinApprovalRequired: true,
        IsParent: false,
        IsDefaultSubGroup: false,
        LinkedParentJID: '',
        AddressingMode: 'lid',
        ParticipantCount: 3,
        MemberAddMode: 'admin_add',
      })
      for (const time of ['GroupCreated', 'NameSetAt', 'TopicSetAt'])
        expect(Date.parse(data[time]), time).to.be.within(began - 1000, Date.now() + 1000)
      expect(data.Participants[0]).to.deep.equal({
        JID: ana.account.lid,
        PhoneNumber: ana.account.jid,
        LID: ana.account.lid,
        IsAdmin: true,
        IsSuperAdmin: true,
        DisplayName: '',
        Error: 0,
        AddRequest: null,
      })
    })
    it('accepts a bare id, and the query of a GET', async () => {
      const jid = await own('Bare')
      const bare = await post('/group/info', { GroupJID: jid.replace('@g.us', '') })
      const get = await session.get(`/group/info?groupJID=${jid}`)
      expect([bare.data.Name, get.data.Name]).to.deep.equal(['Bare', 'Bare'])
      expect(bare.data.TopicSetAt).to.equal('0001-01-01T00:00:00Z')
    })
    refuses(
      'POST /group/info',
      'an unknown group, and one of which the account is not a member',
      async () => {
        const unknown = await post('/group/info', { GroupJID: UNKNOWN }, 404)
        expect(unknown.error).to.equal(`${UNKNOWN} not found`)
        const { JID } = await ana.act({ Action: 'createGroup', Text: 'Private' })
        const other = await post('/group/info', { GroupJID: JID }, 403)
        expect(other.error).to.equal('WhatsApp refused: forbidden (403)')
        const nonsense = await post('/group/info', { GroupJID: '5511@s.whatsapp.net' }, 400)
        expect(nonsense.error).to.include('Could not parse Group JID')
      },
    )
  })

  describe('update', () => {
    shows('POST /group/update', 'adds, promotes, demotes and removes', async () => {
      const jid = await own()
      const update = async (Action: string): Promise<string | undefined> => {
        const body = { GroupJID: jid, ParticipantJID: numbers(bea), Action }
        const { data } = await post('/group/update', body)
        expect(data.Details).to.equal('Group Participants updated successfully')
        expect(data.Participants).to.have.length(1)
        expect(data.Participants[0]).to.include({ PhoneNumber: bea.account.jid, Error: 0 })
        return roles(jid)[bea.account.phone]
      }
      expect(await update('add')).to.equal('member')
      const sent = await post('/send/text', { Phone: jid, Body: 'hello Bea' })
      await bea.wait(({ id }) => id === sent.data.Id)
      expect(await update('promote')).to.equal('admin')
      expect(await update('demote')).to.equal('member')
      expect(await update('remove')).to.equal(undefined)
    })
    it('reports the outcome for each person', async () => {
      const [shy, gone] = [await world.phone('Shy'), await world.phone('Gone')]
      await shy.act({ Action: 'groupPrivacy', Text: 'none' })
      const jid = await own('Team', ana, gone)
      await gone.act({ Action: 'leaveGroup', Chat: jid })
      const people = [...numbers(bea, ana, shy, gone), '5511900000000']
      const { data } = await post('/group/update', { GroupJID: jid, Phone: people, Action: 'add' })
      expect(data.Details).to.equal('4 of 5 participants not updated')
      const codes = Object.fromEntries(
        data.Participants.map((one: { PhoneNumber: string; Error: number }) => [one.PhoneNumber, one.Error]),
      )
      expect(codes).to.deep.equal({
        [bea.account.jid]: 0,
        [ana.account.jid]: 409,
        [shy.account.jid]: 403,
        [gone.account.jid]: 408,
        '5511900000000@s.whatsapp.net': 404,
      })
    })
    it('does not let an admin demote or remove the owner', async () => {
      const jid = await foreign()
      await ana.act({ Action: 'promote', Chat: jid, Participants: numbers(shop) })
      for (const Action of ['demote', 'remove']) {
        const body = { GroupJID: jid, ParticipantJID: ana.account.lid, Action }
        const { data } = await post('/group/update', body)
        expect(data.Participants[0]).to.include({ JID: ana.account.lid, Error: 403 })
      }
      expect(roles(jid)).to.include({ [ana.account.phone]: 'superadmin' })
    })
    refuses('POST /group/update', 'an account that is not an admin, and unknown actions', async () => {
      const jid = await foreign()
      const body = { GroupJID: jid, ParticipantJID: numbers(bea), Action: 'remove' }
      await post('/group/update', body, 403)
      expect(roles(jid)).to.include.keys(bea.account.phone)
      const ban = await post('/group/update', { ...body, Action: 'ban' }, 400)
      expect(ban.error).to.equal('invalid Action in Payload')
    })
  })

  describe('profile', () => {
    shows('POST /group/name', 'sets the name, with any characters', async () => {
      const jid = await own()
      const { data } = await post('/group/name', { GroupJID: jid, Name: 'Call: me_1@home ☂' })
      expect(data.Details).to.equal('Group Name set successfully')
      expect(group(jid).Subject).to.equal('Call: me_1@home ☂')
    })
    shows('POST /group/description', 'sets, changes and clears the description', async () => {
      const jid = await own()
      for (const Description of ['first', 'second', '']) {
        await post('/group/description', { GroupJID: jid, Description })
        expect(group(jid).Description).to.equal(Description)
      }
    })
    it('describes a group that another admin has described, also in the meantime', async () => {
      const jid = await own('Two admins')
      await post('/group/update', { GroupJID: jid, Action: 'promote', Phone: numbers(ana) })
      const hers = (Text: string) => ana.act({ Action: 'description', Chat: jid, Text })
      await hers('hers')
      await post('/group/description', { GroupJID: jid, Description: 'ours' })
      expect(group(jid).Description).to.equal('ours')

      const delayed = { Phone: shop.account.phone, Fault: 'delay' }
      world.fault({ ...delayed, Ms: 500 })
      const before = world.counters()['stanzasIn'] ?? 0
      const described = post('/group/description', { GroupJID: jid, Description: 'ours again' })
      await eventually(() => (world.counters()['stanzasIn'] ?? 0) > before, 'the group is read')
      await hers('hers again')
      expect(group(jid).Description).to.equal('hers again')
      await described
      world.fault({ ...delayed, Ms: 0 })
      expect(group(jid).Description).to.equal('ours again')
    })
    shows('POST /group/photo', 'sets the picture as an upright square JPEG', async () => {
      const jid = await own()
      const create = { width: 900, height: 700, channels: 4 as const, background: '#f008' }
      const png = await sharp({ create }).png().toBuffer()
      const Image = `data:image/png;base64,${png.toString('base64')}`
      const { data } = await post('/group/photo', { GroupJID: jid, Image })
      expect(data.PictureID).to.equal(group(jid).Picture)
      const { format, width, height } = await sharp(await download(data.PictureID)).metadata()
      expect({ format, width, height }).to.deep.equal({ format: 'jpeg', width: 640, height: 640 })
    })
    it('is refused by the network for a picture that is not a JPEG, or too large', async () => {
      const jid = await own()
      const act = (bytes: Buffer) =>
        ana.act({ Action: 'groupPicture', Chat: jid, Data: { Image: bytes.toString('base64') } }).then(
          () => 200,
          (error: { code: number }) => error.code,
        )
      const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
      const large = Buffer.concat([jpeg, Buffer.alloc(200_000)])
      expect([await act(Buffer.from('PNG')), await act(large), await act(jpeg)]).to.deep.equal([
        406, 406, 200,
      ])
    })
    it('refuses an invalid picture', async () => {
      const jid = await own()
      await post('/group/photo', { GroupJID: jid, Image: 'data:image/png;base64,aGVsbG8=' }, 415)
      expect(group(jid).Picture).to.equal('')
    })
    const changes = [
      ['POST /group/name', { Name: 'x' }],
      ['POST /group/description', { Description: 'x' }],
      ['POST /group/photo', undefined],
    ] as const
    for (const [endpoint, change] of changes) {
      refuses(endpoint, 'a member of a locked group, and strangers', async () => {
        const path = endpoint.slice(5)
        const body = change ?? { Image: await picture() }
        const jid = await foreign('Locked')
        await ana.act({ Action: 'lock', Chat: jid })
        await post(path, { GroupJID: jid, ...body }, 403)
        expect(group(jid)).to.include({ Subject: 'Locked', Description: '', Picture: '' })
        await post(path, { GroupJID: UNKNOWN, ...body }, 404)
      })
    }

    shows('POST /group/lock', 'locks and unlocks', async () => {
      const jid = await own()
      const rename = () =>
        ana.act({ Action: 'subject', Chat: jid, Text: "Ana's" }).then(
          () => 'done',
          (error: { code: number }) => error.code,
        )
      await post('/group/lock', { GroupJID: jid, Lock: true })
      expect([group(jid).Locked, await rename()]).to.deep.equal([true, 403])
      await post('/group/lock', { GroupJID: jid, Lock: 'false' })
      expect([group(jid).Locked, await rename()]).to.deep.equal([false, 'done'])
    })
    shows('POST /group/adminonly', 'keeps members from sending', async () => {
      const jid = await own()
      await post('/group/adminonly', { GroupJID: jid, AdminOnly: true })
      expect(group(jid).AdminOnly).to.equal(true)
      const refusals = world.counters()['refused'] ?? 0
      await ana.send(jid, { Text: 'may I?' })
      expect(world.counters()['refused']).to.equal(refusals + 1)
      await post('/group/adminonly', { GroupJID: jid, AdminOnly: false })
      const id = await ana.send(jid, { Text: 'now I may' })
      await shop.wait((message) => message.id === id)
    })
    for (const [path, flag] of [
      ['/group/lock', 'Lock'],
      ['/group/adminonly', 'AdminOnly'],
    ] as const) {
      refuses(`POST ${path}`, 'an account that is not an admin', async () => {
        const jid = await foreign()
        await post(path, { GroupJID: jid, [flag]: true }, 403)
        expect(group(jid)).to.include({ Locked: false, AdminOnly: false })
        const missing = await post(path, { GroupJID: jid }, 400)
        expect(missing.error).to.equal(`Missing ${flag} in Payload`)
      })
    }
    it('refuses a message to a group in which only admins can send', async () => {
      const jid = await foreign()
      await ana.act({ Action: 'announce', Chat: jid })
      await post('/send/text', { Phone: jid, Body: 'x' }, 403)
    })
  })

  describe('joining and leaving', () => {
    shows('POST /group/invitelink', 'returns the link, and creates a new one', async () => {
      const jid = await own()
      const { data } = await post('/group/invitelink', { GroupJID: jid })
      expect(data.InviteLink).to.equal(`https://chat.whatsapp.com/${group(jid).Invite}`)
      expect((await session.get(`/group/invitelink?groupJID=${jid}`)).data).to.deep.equal(data)
      const reset = await post('/group/invitelink', { GroupJID: jid, Reset: true })
      expect(reset.data.InviteLink).to.not.equal(data.InviteLink)
      expect(reset.data.InviteLink).to.equal(`https://chat.whatsapp.com/${group(jid).Invite}`)
      const code = group(jid).Invite
      await bea.act({ Action: 'joinGroup', Text: code })
      expect(roles(jid)).to.include.keys(bea.account.phone)
    })
    refuses('POST /group/invitelink', 'an account that is not an admin', async () => {
      const jid = await foreign()
      const { Invite } = group(jid)
      const answer = await post('/group/invitelink', { GroupJID: jid, Reset: true }, 403)
      expect(answer.error).to.equal('WhatsApp refused: not-authorized (401)')
      expect(group(jid).Invite).to.equal(Invite)
    })

    const invited = async (...actions: string[]) => {
      const jid = String((await ana.act({ Action: 'createGroup', Text: 'Open' }))['JID'])
      for (const Action of actions) await ana.act({ Action, Chat: jid })
      const { Code } = await ana.act({ Action: 'invite', Chat: jid })
      return { jid, code: String(Code) }
    }
    shows('POST /group/join', 'joins by the link', async () => {
      const { jid, code } = await invited()
      const { data } = await post('/group/join', { Code: `https://chat.whatsapp.com/${code}?mode=r_c` })
      expect(data).to.deep.equal({ Details: 'Group joined successfully', GroupJID: jid })
      expect(roles(jid)).to.include({ [shop.account.phone]: 'member' })
      const again = await post('/group/join', { Code: code }, 502)
      expect(again.error).to.equal('Failed to join the group: conflict (409)')
    })
    it('requests approval where it is required, and joins after it', async () => {
      const { jid, code } = await invited('approval')
      const { data } = await post('/group/join', { Code: code })
      expect(data).to.include({ GroupJID: jid, Details: 'Asked to join; an admin must approve the request' })
      expect(group(jid).Requests).to.deep.equal([shop.account.phone])
      await ana.act({ Action: 'approve', Chat: jid, Participants: numbers(shop) })
      expect(roles(jid)).to.include({ [shop.account.phone]: 'member' })
    })
    refuses('POST /group/join', 'an unknown, a revoked and an invalid code', async () => {
      const { jid, code } = await invited()
      const wrong = await post('/group/join', { Code: 'x'.repeat(22) }, 404)
      expect(wrong.error).to.equal('Invite not found')
      await ana.act({ Action: 'resetInvite', Chat: jid })
      const old = await post('/group/join', { Code: code }, 404)
      expect(old.details).to.equal('It was reset or has expired')
      await post('/group/join', { Code: 'a@b.c' }, 400)
      expect(roles(jid)).not.to.include.keys(shop.account.phone)
    })

    shows('POST /group/leave', 'leaves, and the oldest member succeeds the last admin', async () => {
      const jid = await own('Team', ana, bea)
      const { data } = await post('/group/leave', { GroupId: jid })
      expect(data.Details).to.equal('Group left successfully')
      expect(roles(jid)).to.deep.equal({ [ana.account.phone]: 'admin', [bea.account.phone]: 'member' })
      await post('/send/text', { Phone: jid, Body: 'still there?' }, 403)
    })
    refuses('POST /group/leave', 'a group of which the account is not a member', async () => {
      const { JID } = await ana.act({ Action: 'createGroup', Text: 'Private' })
      await post('/group/leave', { GroupJID: JID }, 403)
      await post('/group/leave', { GroupId: UNKNOWN }, 404)
    })
  })
})
