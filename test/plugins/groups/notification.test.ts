import type { BinaryNode } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import { definePlugin, type LogEvent } from '../../../kernel/plugin.ts'
import { ofNotification } from '../../../plugins/groups/notification.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

type Body = Record<string, unknown>

const logged: LogEvent[] = []
const waiting = new Set<() => void>()
const watcher = definePlugin({
  name: 'watcher',
  version: '1.0.0',
  api: '^1.0.0',
  setup: async ({ events }) => {
    events.watch((fresh) => {
      logged.push(...fresh)
      for (const check of [...waiting]) check()
    })
  },
})

/** The first event of a type, past or coming, that `matches`. */
function news(type: string, matches: (event: Body) => unknown): Promise<Body> {
  return eventually(
    () =>
      logged
        .filter((line) => line.type === type)
        .map(({ body }) => body['event'] as Body)
        .find(matches),
    `logged such a ${type}`,
    { progress: () => logged.length },
  )
}

describe('group notifications', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bea: Phone
  let jid: string
  before(async () => {
    world = await startWorld({ extra: [watcher] })
    session = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana @home')
    bea = await world.phone('Bea')
    const Participants = [session.phone.account.phone]
    jid = String((await ana.act({ Action: 'createGroup', Text: 'Team: a@b', Participants }))['JID'])
  })
  after(() => world.stop())

  const by = () => ({
    JID: jid,
    Notify: 'Ana @home',
    Sender: ana.account.lid,
    SenderPN: ana.account.jid,
  })
  const changed = (field: string): Promise<Body> =>
    news('GroupInfo', (event) => {
      const value = event[field]
      return event['JID'] === jid && (Array.isArray(value) ? value.length > 0 : value)
    })

  it('raise JoinedGroup with the whole group when the account is added', async () => {
    const event = await news('JoinedGroup', ({ JID }) => JID === jid)
    expect(event).to.include({ ...by(), Type: 'new', Name: 'Team: a@b', OwnerPN: ana.account.jid })
    expect((event['Participants'] as Body[]).map(({ PhoneNumber }) => PhoneNumber)).to.have.members([
      ana.account.jid,
      session.phone.account.jid,
    ])
  })
  it('raise JoinedGroup for a group that the account created or joined by a link', async () => {
    const body = { GroupName: 'Mine', Participants: [bea.account.phone] }
    const { data } = await session.post('/group/create', body)
    await news('JoinedGroup', ({ JID, Type }) => JID === data.jid && Type === 'new')
    const { JID } = await bea.act({ Action: 'createGroup', Text: 'Open' })
    const { Code } = await bea.act({ Action: 'invite', Chat: String(JID) })
    await session.post('/group/join', { Code })
    await news('JoinedGroup', (event) => event['JID'] === JID && event['Reason'] === 'invite')
  })

  it('raise GroupInfo for name, description, settings and link, with author and time', async () => {
    const act = (Action: string, more: object = {}) => ana.act({ Action, Chat: jid, ...more })
    const began = Date.now()
    await act('subject', { Text: 'Call: me@home' })
    const name = await changed('Name')
    expect(name).to.include(by())
    expect(name['Name']).to.include({
      Name: 'Call: me@home',
      NameSetBy: ana.account.lid,
      NameSetByPN: ana.account.jid,
    })
    expect(Date.parse(String(name['Timestamp']))).to.be.within(began - 1000, Date.now() + 1000)
    expect(name).to.include({ Topic: null, Locked: null, NewInviteLink: null })
    await act('description', { Text: 'about' })
    const topic = await changed('Topic')
    expect(topic['Topic']).to.include({ Topic: 'about', TopicDeleted: false, TopicSetByPN: ana.account.jid })
    await act('lock')
    expect((await changed('Locked'))['Locked']).to.deep.equal({ IsLocked: true })
    await act('announce')
    expect((await changed('Announce'))['Announce']).to.include({ IsAnnounce: true })
    await act('ephemeral', { Data: { Seconds: 86400 } })
    const timer = { IsEphemeral: true, DisappearingTimer: 86400 }
    expect((await changed('Ephemeral'))['Ephemeral']).to.deep.equal(timer)
    await act('approval')
    const approval = { IsJoinApprovalRequired: true }
    expect((await changed('MembershipApprovalMode'))['MembershipApprovalMode']).to.deep.equal(approval)
    await act('resetInvite')
    expect((await changed('NewInviteLink'))['NewInviteLink']).to.match(
      /^https:\/\/chat\.whatsapp\.com\/\w{22}$/,
    )
  })

  it('raise GroupInfo for joined, promoted, demoted and removed members, with phone numbers', async () => {
    const Participants = [bea.account.phone]
    for (const [Action, field] of [
      ['addToGroup', 'Join'],
      ['promote', 'Promote'],
      ['demote', 'Demote'],
      ['removeFromGroup', 'Leave'],
    ] as const) {
      await ana.act({ Action, Chat: jid, Participants })
      const event = await changed(field)
      expect(event).to.include(by())
      expect(event[field]).to.deep.equal([bea.account.lid])
      expect(event[`${field}Alt`]).to.deep.equal([bea.account.jid])
      expect(Number(event['ParticipantVersionID'])).to.equal(Number(event['PrevParticipantVersionID']) + 1)
    }
  })

  it('raise GroupInfo for membership requests and their rejection', async () => {
    const Participants = [session.phone.account.phone]
    await ana.act({ Action: 'promote', Chat: jid, Participants })
    const { Code } = await ana.act({ Action: 'invite', Chat: jid })
    await bea.act({ Action: 'joinGroup', Text: String(Code) })
    const event = await changed('MembershipRequestsCreated')
    expect(event).to.include({ MembershipRequestMethod: 'invite_link' })
    expect(event['MembershipRequestsCreatedAlt']).to.deep.equal([bea.account.jid])
    await ana.act({ Action: 'reject', Chat: jid, Participants: [bea.account.phone] })
    const rejected = await changed('MembershipRequestsRevoked')
    expect(rejected['MembershipRequestsRevokedAlt']).to.deep.equal([bea.account.jid])
  })

  it('raise GroupInfo for linking to a community and unlinking', async () => {
    const made = await ana.act({ Action: 'createCommunity', Text: 'Village' })
    const parent = String(made['JID'])
    await ana.act({ Action: 'linkGroup', Chat: parent, Text: jid })
    const { Link } = await changed('Link')
    expect(Link).to.deep.include({ Type: 'parent_group', UnlinkReason: '' })
    expect((Link as { Group: Body }).Group).to.include({ JID: parent, Name: 'Village' })
    await ana.act({ Action: 'unlinkGroup', Chat: parent, Text: jid })
    const { Unlink } = await changed('Unlink')
    expect(Unlink).to.deep.include({ Type: 'parent_group', UnlinkReason: 'unlink_group' })
  })
})

describe('group notifications, translated', () => {
  const stanza = (change: BinaryNode): BinaryNode => ({
    tag: 'notification',
    attrs: { type: 'w:gp2', from: '120363@g.us', id: '77', t: '1700000000', participant: '9@lid' },
    content: [change],
  })
  const phoneOf = async (lid: string): Promise<string> => (lid === '9@lid' ? '5511@s.whatsapp.net' : '')

  it('have the same event id when redelivered, in the lane of the group', async () => {
    const twice = await Promise.all(
      [1, 2].map(() => ofNotification(stanza({ tag: 'locked', attrs: {} }), phoneOf)),
    )
    const events = twice.map((recording) => recording?.events?.[0])
    expect(events[0]).to.include({
      key: '120363@g.us 77',
      chat: '120363@g.us',
      time: '2023-11-14T22:13:20.000Z',
    })
    expect(events[0]).to.deep.equal(events[1])
  })

  it('get phone numbers from the local mapping if they contain none', async () => {
    const people = ['9@lid', '8@lid'].map((jid) => ({ tag: 'participant', attrs: { jid } }))
    const recording = await ofNotification(stanza({ tag: 'remove', attrs: {}, content: people }), phoneOf)
    expect(recording?.events?.[0]?.body['event']).to.deep.include({
      SenderPN: '5511@s.whatsapp.net',
      Leave: ['9@lid', '8@lid'],
      LeaveAlt: ['5511@s.whatsapp.net', ''],
    })
  })

  it('keep unknown changes as received', async () => {
    const recording = await ofNotification(stanza({ tag: 'growth_locked', attrs: { type: 'x' } }), phoneOf)
    const unknown = [{ Tag: 'growth_locked', Attrs: { type: 'x' } }]
    expect(recording?.events?.[0]?.body['event']).to.deep.include({ UnknownChanges: unknown })
  })
})
