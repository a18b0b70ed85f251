import type { ChatModification, WASocket } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import type { Socket } from '../../../../kernel/plugin.ts'
import { eventually } from '../../../support/eventually.ts'
import { phoneHas, settingOf } from '../../../support/phone-settings.ts'
import { createProbe } from '../../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

const BOB = '5511900000000@s.whatsapp.net'

describe('modify', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let socket: Socket
  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
  })
  after(() => world.stop())
  beforeEach(async () => {
    session = await world.linked(await world.phone('Shop'))
    await probe.synced(session)
    socket = await probe.socket(session)
  })

  /** Puts the session ahead of the network, as after a refusal that it ignored. */
  const runAhead = async ({ wa }: Socket): Promise<void> => {
    const state = { version: 7, hash: Buffer.alloc(128, 1), indexValueMap: {} }
    await wa.authState.keys.set({ 'app-state-sync-version': { regular_low: state } })
  }

  describe('on a conflict of versions', () => {
    it('resolves the conflict, then makes this change and the next (whatsapp/37)', async () => {
      await runAhead(socket)
      await socket.modify({ pin: true }, BOB)
      await socket.modify({ archive: true, lastMessages: [] }, BOB)
      await phoneHas(session.phone, ['pin_v1', BOB])
      await phoneHas(session.phone, ['archive', BOB])
    })

    it('loses the changes without an error in unpatched Baileys', async () => {
      await runAhead(socket)
      await socket.wa.chatModify({ pin: true }, BOB)
      await socket.wa.chatModify({ archive: true, lastMessages: [] }, BOB)
      expect(settingOf(session.phone, 'pin_v1', BOB)).to.equal(undefined)
      expect(session.phone.view()).to.have.nested.property('AppState.regular_low', 0)
    })
  })

  describe('after a removal', () => {
    const changes: ChatModification[] = [
      { contact: { fullName: 'Bob' } },
      { contact: null },
      { contact: { fullName: 'Robert' } },
      { contact: { fullName: 'Rob' } },
    ]
    const renamed = (action: Record<string, unknown>): boolean =>
      JSON.stringify(action).includes('"fullName":"Rob"')

    it('writes patches that other devices can verify (whatsapp/37)', async () => {
      for (const change of changes) await socket.modify(change, BOB)
      await phoneHas(session.phone, ['contact', BOB], renamed)
    })

    it('writes patches with a wrong LTHash in unpatched Baileys', async () => {
      const unpatched: WASocket = socket.wa
      for (const change of changes) await unpatched.chatModify(change, BOB)
      const faults = await eventually(() => {
        const found = session.phone.view()['SettingsFaults'] as string[]
        return found.length > 0 && found
      }, 'a fault on the phone')
      expect(faults[0]).to.contain('LTHash')
    })
  })

  it('makes concurrent changes of several devices one after the other', async () => {
    const chats = Array.from({ length: 8 }, (_, at) => `55119000001${at}@s.whatsapp.net`)
    const { phone } = session
    await Promise.all([
      ...chats.map((chat) => socket.modify({ pin: true }, chat)),
      ...[1, 2, 3].map(() => phone.act({ Action: 'pin', Chat: phone.account.jid })),
    ])
    for (const chat of chats) await phoneHas(phone, ['pin_v1', chat])
    await phoneHas(phone, ['pin_v1', phone.account.jid])
  })

  it('rejects with the code of the network, and changes nothing', async () => {
    const { phone } = session
    world.fault({ Phone: phone.account.phone, Fault: 'refuseSettings', Code: 429 })
    const error = await socket.modify({ pin: true }, BOB).catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'NETWORK_LIMITED' })
    world.fault({ Phone: phone.account.phone, Fault: 'clear' })
    await socket.modify({ mute: -1 }, BOB)
    await phoneHas(phone, ['mute', BOB])
    expect(settingOf(phone, 'pin_v1', BOB)).to.equal(undefined)
  })

  it('reaches another companion of the account, which accepts changes after a removal', async () => {
    const second = await world.linked(session.phone)
    await probe.synced(second)
    const { id } = (await probe.session(second.token)) ?? { id: '' }
    await socket.modify({ contact: { fullName: 'Bob' } }, BOB)
    await socket.modify({ contact: null }, BOB)
    const other = await probe.socket(second)
    await other.modify({ contact: { fullName: 'Robert' } }, BOB)
    await socket.modify({ pin: true }, BOB)
    await phoneHas(session.phone, ['contact', BOB])
    await phoneHas(session.phone, ['pin_v1', BOB])
    await eventually(() => probe.events('Pin').some((event) => event.session === id), 'an event of the pin')
  })

  it('raises one event for each change, own or not, and none when all settings are read again', async () => {
    const { phone } = session
    const other = await world.phone('Ana')
    await socket.modify({ pin: true }, BOB)
    await phone.act({ Action: 'pin', Chat: other.account.jid })
    await probe.event('Pin', ({ JID }) => JID === BOB)
    await probe.event('Pin', ({ JID }) => JID === other.account.jid)
    const before = probe.events('Pin').length
    expect((await session.get('/user/appstate')).data.Collections).to.deep.include({
      Name: 'regular_low',
      Version: 2,
    })
    await phone.act({ Action: 'pin', Chat: other.account.jid, Data: { On: false } })
    await probe.event('Pin', ({ Action }) => (Action as { pinned: boolean }).pinned === false)
    expect(probe.events('Pin')).to.have.length(before + 1)
  })
})
