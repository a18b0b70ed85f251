import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openLinkedTokenShop, type TokenShop } from './token-shop.ts'

/** AB props: tokens in queries for about texts, in new groups, with added members. */
const [ABOUT, NEW_GROUP, NEW_MEMBER] = [20798, 11261, 11262]
/** Baileys drops tokens of this age. */
const DAYS = 60
/** Phones have no setting of its own for who sees that the account is online: all, or who sees the last time. */
const SEEN_BY_CONTACTS = { last: 'contacts', online: 'match_last_seen' }

describe('the token that somebody has given', () => {
  let shop: TokenShop
  let owner: Phone
  let session: LinkedSession
  before(async () => {
    ;({ shop, owner, session } = await openLinkedTokenShop())
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  /** Somebody who lets only contacts see or do this, and trusts the account. */
  const trusting = async (settings: Record<string, string>): Promise<Phone> => {
    const phone = await shop.phone()
    await phone.act({ Action: 'setPrivacy', Data: settings })
    await phone.act({ Action: 'trust', Chat: owner.account.phone, Data: { Days: DAYS } })
    const { keys } = (await shop.probe.socket(session)).wa.authState
    const { lid } = phone.account
    await eventually(async () => (await keys.get('tctoken', [lid]))[lid]?.token?.length, 'a token')
    return phone
  }
  const withoutTokens = async (...codes: number[]): Promise<void> => {
    const Props = Object.fromEntries(codes.map((code) => [code, '0']))
    shop.loose.network.fault({ Fault: 'props', Phone: owner.account.phone, Props })
    await session.post('/session/disconnect')
    await session.post('/session/connect', { Immediate: false })
    await session.status({ State: 'open' })
    const { abProp } = await shop.probe.socket(session)
    await eventually(() => codes.every((code) => !abProp(code, true)), 'the AB props are known')
  }
  const aboutOf = async (address: string): Promise<string> => {
    const { data } = await session.post('/user/info', { Phone: [address] })
    const [found] = Object.values(data.Users) as { Status: string }[]
    return found?.Status ?? ''
  }

  it('is in the query for the about text, where the AB prop says so (whatsapp/26)', async () => {
    const ana = await trusting({ status: 'contacts' })
    const stranger = await shop.phone()
    for (const address of [ana.account.lid, ana.account.jid])
      expect(await aboutOf(address)).to.include('simulated phone')
    expect(await aboutOf(stranger.account.jid)).to.equal('')
    await withoutTokens(ABOUT)
    expect(await aboutOf(ana.account.jid)).to.equal('')
  })

  it('is in the subscription to a presence (whatsapp/26)', async () => {
    const ana = await trusting(SEEN_BY_CONTACTS)
    const stranger = await shop.phone()
    await stranger.act({ Action: 'setPrivacy', Data: SEEN_BY_CONTACTS })
    const open = await shop.phone()
    expect(await session.post('/user/presence', { Type: 'available' })).to.include({ status: 200 })
    for (const phone of [ana, stranger, open])
      expect((await shop.says(session, phone.account.jid)).status).to.equal(200)
    const isOf =
      ({ account: { lid, jid } }: Phone) =>
      ({ From }: Record<string, unknown>) =>
        From === lid || From === jid
    await shop.probe.event('Presence', isOf(ana))
    await shop.probe.event('Presence', isOf(open))
    const people = shop.probe.events('Presence').map(({ body }) => body['event'] as Record<string, unknown>)
    expect(people.some(isOf(stranger))).to.equal(false)
  })

  it('is with new members of a group, where the AB prop says so (whatsapp/26)', async () => {
    const membersOf = (jid: string): string[] => {
      const groups = shop.loose.network.view()['Groups'] as { JID: string; Members: { Phone: string }[] }[]
      return groups.find(({ JID }) => JID === jid)?.Members.map(({ Phone }) => Phone) ?? []
    }
    const create = async (...people: Phone[]): Promise<string> => {
      const Participants = people.map(({ account }) => account.phone)
      const { data, error } = await session.post('/group/create', { GroupName: 'Team', Participants })
      expect(error).to.equal(undefined)
      return data.JID
    }
    const add = (GroupJID: string, { account }: Phone) =>
      session.post('/group/update', { GroupJID, ParticipantJID: [account.phone], Action: 'add' })
    const [ana, bob] = [await trusting({ groupadd: 'contacts' }), await trusting({ groupadd: 'contacts' })]
    const stranger = await shop.phone()
    await stranger.act({ Action: 'setPrivacy', Data: { groupadd: 'contacts' } })
    const jid = await create(ana, stranger)
    expect(membersOf(jid)).to.have.members([owner.account.phone, ana.account.phone])
    await add(jid, bob)
    await add(jid, stranger)
    expect(membersOf(jid)).to.have.members([owner, ana, bob].map(({ account }) => account.phone))
    await withoutTokens(NEW_GROUP, NEW_MEMBER)
    const other = await create(ana)
    await add(other, bob)
    expect(membersOf(other)).to.deep.equal([owner.account.phone])
  })
})
