import type { BinaryNode } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Client, linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

const SERVER = 's.whatsapp.net'

/** Settings of an account, as unmodified clients change them. */
describe('an account of the local network', () => {
  let local: LooseNetwork
  let ana: Phone
  let client: Client
  let other: Client
  let bea: Phone
  let beas: Client
  /** Notifications that the other client of the account, and that of Bea, got. */
  const told: BinaryNode[] = []
  before(async () => {
    local = await startNetwork()
    // Stock clients know no tokens for first contacts.
    local.network.fault({ Fault: 'lenientTokens' })
    // They address people as they are told.
    local.network.fault({ Fault: 'lenientAddressing' })
    local.network.fault({ Fault: 'legacyAbout' })
    ana = await local.phones.create({ name: 'Ana' })
    bea = await local.phones.create({ name: 'Bea' })
    client = await linkClient(local.network, ana)
    other = await linkClient(local.network, ana)
    beas = await linkClient(local.network, bea)
    for (const { wa } of [other, beas]) wa.ws.on('CB:notification', (node: BinaryNode) => told.push(node))
    await ana.send(bea.account.phone, { Text: 'hello' })
    await bea.wait(({ raw }) => raw.conversation === 'hello')
  })
  after(async () => {
    await Promise.all([client?.close(), other?.close(), beas?.close()])
    await local.network.close()
  })

  const childrenOf = ({ content }: BinaryNode): BinaryNode[] => (Array.isArray(content) ? content : [])
  /** The first notification of that type with a child of that tag. */
  const notified = (type: string, tag: string): Promise<BinaryNode> =>
    eventually(
      () =>
        told
          .filter(({ attrs }) => attrs['type'] === type)
          .flatMap(childrenOf)
          .find((one) => one.tag === tag),
      `notified of ${tag}`,
      { progress: () => told.length },
    )
  const rejection = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'resolved',
      (error: Error) => error.message,
    )

  it('has a default disappearing timer, of which its other devices are notified', async () => {
    await client.wa.updateDefaultDisappearingMode(86_400)
    expect((await notified('account_sync', 'disappearing_mode')).attrs).to.include({ duration: '86400' })
    await eventually(
      () => other.wa.authState.creds.accountSettings.defaultDisappearingMode?.ephemeralExpiration === 86_400,
      'applied',
    )
    const [found] = (await beas.wa.fetchDisappearingDuration(ana.account.jid)) ?? []
    expect(found).to.have.nested.property('disappearing_mode.duration', 86_400)
    expect(await rejection(client.wa.updateDefaultDisappearingMode(77))).to.include('bad-request')
  })

  it('hides a setting from listed contacts, and refuses a change based on an old list', async () => {
    await ana.act({ Action: 'addContact', Chat: bea.account.phone })
    const setLast = (users: BinaryNode[], dhash?: string) =>
      client.wa.query({
        tag: 'iq',
        attrs: { to: SERVER, type: 'set', xmlns: 'privacy' },
        content: [
          {
            tag: 'privacy',
            attrs: {},
            content: [
              {
                tag: 'category',
                attrs: { name: 'profile', value: 'contact_blacklist', ...(dhash ? { dhash } : {}) },
                content: users,
              },
            ],
          },
        ],
      })
    await ana.act({ Action: 'setPicture', Data: { Image: '/9j/4AAQ' } })
    expect(await beas.wa.profilePictureUrl(ana.account.jid)).to.include('/')
    await setLast([{ tag: 'user', attrs: { jid: bea.account.lid, action: 'add' } }])
    expect(await rejection(beas.wa.profilePictureUrl(ana.account.jid))).to.include('not-authorized')
    const [category] = childrenOf(await notified('account_sync', 'privacy'))
    expect(category?.attrs).to.include({ name: 'profile', value: 'contact_blacklist' })
    expect(await client.wa.fetchPrivacySettings(true)).to.include({ profile: 'contact_blacklist' })

    const remove = [{ tag: 'user', attrs: { jid: bea.account.lid, action: 'remove' } }]
    expect(await rejection(setLast(remove, 'old'))).to.include('conflict')
    await setLast(remove, category?.attrs['dhash'])
    expect(await beas.wa.profilePictureUrl(ana.account.jid)).to.include('/')
  })

  it('may not be added to groups by listed contacts, who get an invitation for it', async () => {
    const list = { Action: 'hideFrom', Text: 'groupadd', Participants: [bea.account.phone] }
    await ana.act(list)
    const group = await beas.wa.groupCreate('Team', [])
    const [result] = await beas.wa.groupParticipantsUpdate(group.id, [ana.account.lid], 'add')
    expect(result?.status).to.equal('403')
    await ana.act({ Action: 'setPrivacy', Data: { groupadd: 'all' } })
    const [added] = await beas.wa.groupParticipantsUpdate(group.id, [ana.account.lid], 'add')
    expect(added?.status).to.equal('200')
  })

  it('notifies of a new about text those who may see it', async () => {
    await ana.act({ Action: 'setPrivacy', Data: { status: 'all' } })
    await client.wa.updateProfileStatus('on holiday')
    const change = await notified('status', 'set')
    expect(String(change.content)).to.equal('on holiday')
    const from = () =>
      told.filter(({ attrs }) => attrs['type'] === 'status').map(({ attrs }) => attrs['from'])
    await eventually(() => from().length === 2, 'both devices are notified', { progress: from })
    expect(from()).to.have.members([ana.account.jid, ana.account.lid])
  })

  it('creates call links', async () => {
    const token = await client.wa.createCallLink('video', { startTime: 1_900_000_000 })
    expect(token).to.match(/^\w{22}$/)
    expect(await client.wa.createCallLink('audio')).to.not.equal(token)
    const { CallLinks } = local.network.view() as { CallLinks: object[] }
    expect(CallLinks[0]).to.deep.equal({ Token: token, From: ana.account.phone, Media: 'video' })
  })

  it('gets no messages of those it has blocked, who get an ack and never a receipt', async () => {
    await bea.act({ Action: 'block', Chat: ana.account.phone })
    const acked = new Promise<BinaryNode>((resolve) => {
      client.wa.ws.on('CB:ack,class:message', resolve)
    })
    const sent = await client.wa.sendMessage(bea.account.jid, { text: 'are you there?' })
    expect((await acked).attrs)
      .to.include({ id: sent?.key.id })
      .and.not.have.property('error')
    const isReceived = (phone: Phone) => phone.messages().some(({ id }) => id === sent?.key.id)
    await eventually(() => isReceived(ana), 'the own phone has the copy')
    await bea.act({ Action: 'unblock', Chat: ana.account.phone })
    // Stanzas keep their order: what came before this message is there when it is.
    const last = await client.wa.sendMessage(bea.account.jid, { text: 'now?' })
    await bea.wait(({ id }) => id === last?.key.id)
    expect(isReceived(bea)).to.equal(false)
  })
})
