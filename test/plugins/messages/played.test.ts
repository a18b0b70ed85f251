import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import type { Hook } from './hook.ts'
import { openShop, type Shop } from './shop.ts'

describe('voice notes', () => {
  let world: World
  let session: LinkedSession
  let hook: Hook
  let ana: Phone
  let group: string
  let close: Shop['close']
  before(async () => {
    ;({ world, session, hook, ana, close } = await openShop())
    const team = { Action: 'createGroup', Text: 'Team', Participants: [session.phone.account.phone] }
    group = String((await ana.act(team))['JID'])
  })
  after(() => close())

  const say = async (message: Record<string, unknown>, to = session.phone.account.phone): Promise<string> => {
    const id = await ana.send(to, { Message: message })
    await hook.message(id)
    return id
  }
  const mimetype = 'audio/ogg; codecs=opus'
  const note = (to?: string) => say({ audioMessage: { ptt: true, seconds: 1, mimetype } }, to)
  const play = (Id: unknown, Chat = ana.account.phone) => session.post('/message/markplayed', { Id, Chat })
  const heard = (id: string) => ana.receipts.filter((one) => one.id === id).map(({ type }) => type)
  const isPlayed = (id: string) => (): boolean => heard(id).includes('played')
  /** Receipts keep their order with messages. */
  const later = async (): Promise<void> => {
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'later' })
    await ana.wait(({ id }) => id === data.Id)
  }
  const receipts = (readreceipts: 'all' | 'none') =>
    session.phone.act({ Action: 'setPrivacy', Data: { readreceipts } })

  shows('POST /message/markplayed', 'shows the sender the blue microphone, also in a group', async () => {
    const [one, two, video] = [await note(), await note(group), await say({ ptvMessage: { seconds: 1 } })]
    const answer = await play([one, video])
    expect(answer.data, answer.error).to.deep.equal({ Details: 'Message(s) marked as played' })
    expect(await play(two, group)).to.include({ status: 200 })
    for (const id of [one, two, video]) await ana.wait(isPlayed(id))
    const { data } = await session.post('/message/status', { Id: one })
    expect(data).to.include({ Status: 'Played', IsFromMe: false })
    expect(session.phone.receipts.some(({ id, type }) => id === one && type === 'played-self')).to.equal(true)
  })

  it('tell their sender nothing with read receipts off, except in groups', async () => {
    await receipts('none')
    try {
      const [one, two] = [await note(), await note(group)]
      expect(await play(one)).to.include({ status: 200 })
      expect(await play(two, group)).to.include({ status: 200 })
      await ana.wait(isPlayed(two))
      await later()
      expect(heard(one)).not.to.include('played').and.not.include('played-self')
    } finally {
      await receipts('all')
    }
  })

  refuses(
    'POST /message/markplayed',
    'unknown messages, own ones, and those that are not played',
    async () => {
      const voice = await note()
      const song = await say({ audioMessage: { ptt: false, seconds: 1, mimetype } })
      const own = (await session.post('/send/text', { Phone: ana.account.phone, Body: 'mine' })).data.Id
      for (const [id, status, error] of [
        ['NOWHERE', 404, 'Message not found'],
        [own, 400, `Invalid Id: ${own} is a message of your own`],
        [song, 400, `Invalid Id: ${song} is neither a voice nor a video note`],
      ] as const)
        expect(await play([voice, id]), id).to.include({ status, error })
      expect(await play(voice, world.gateway.url)).to.include({ status: 400 })
      await later()
      expect(heard(voice)).not.to.include('played')
    },
  )
})
