import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { admin, type LinkedSession, type World } from '../../support/world.ts'
import type { Body, Hook } from './hook.ts'
import { openShop, type Shop } from './shop.ts'

describe('additions to messages', () => {
  let world: World
  let session: LinkedSession
  let hook: Hook
  let ana: Phone
  let shop: string
  let close: Shop['close']
  before(async () => {
    ;({ world, session, hook, ana, close } = await openShop())
    shop = session.phone.account.phone
  })
  after(() => close())

  /** The delivered Message of an action. */
  const shown = async (phone: Phone, action: { Action: string; [field: string]: unknown }): Promise<Body> =>
    hook.message(String((await phone.act(action))['Id']))

  describe('to polls', () => {
    for (const Version of [1, 2, 3, 4, 5, 6]) {
      it(`are votes and edits in version ${Version} (whatsapp/15, whatsapp/23)`, async () => {
        const Data = { Options: ['now', 'later'], Version }
        const made = await shown(ana, { Action: 'poll', Chat: shop, Text: 'When?', Data })
        expect(made.event.Info).to.include({ Type: 'poll' })
        expect(made.message).to.include({ type: 'poll', text: 'When?' })
        expect(made.message.poll).to.deep.include({ options: ['now', 'later'] })
        const { id } = made.message
        for (const Form of ['lid', 'pn']) {
          const vote = { Action: 'vote', Id: id, Data: { Options: ['later'], Form } }
          const { message, event } = await shown(ana, vote)
          expect(message).to.deep.include({
            type: 'vote',
            targetId: id,
            vote: { question: 'When?', options: ['later'] },
          })
          expect(event.PollVote).to.deep.equal({
            PollID: id,
            Question: 'When?',
            SelectedOptions: ['later'],
          })
        }
        if (Version === 4) return
        const edited = await shown(ana, { Action: 'editPoll', Id: id, Text: 'When, then?' })
        expect(edited.message).to.deep.include({ type: 'edit', targetId: id, text: 'When, then?' })
        expect((await session.get(`/polls/${id}`)).data).to.include({ Question: 'When, then?', MaxAnswer: 1 })
        // Votes are sealed under the secret of the edit now.
        const vote = { Action: 'vote', Id: id, Data: { Options: ['now'] } }
        expect((await shown(ana, vote)).message.vote).to.deep.equal({
          question: 'When, then?',
          options: ['now'],
        })
      })
    }

    it('are options, of any member, which can be voted for (whatsapp/23)', async () => {
      const cid = await world.phone('Cid')
      const Participants = [shop, cid.account.phone]
      const { JID } = await ana.act({ Action: 'createGroup', Text: 'Team', Participants })
      const Data = { Options: ['now', 'later'], Max: 0 }
      const { message: made } = await shown(ana, { Action: 'poll', Chat: JID, Text: 'When?', Data })
      await cid.wait(({ id }) => id === made.id)
      const expected = ['now', 'later']
      for (const [phone, Text, Form] of [
        [cid, 'never', 'lid'],
        [ana, 'always', 'pn'],
      ] as const) {
        const { Id } = await phone.act({ Action: 'addOption', Id: made.id, Text, Data: { Form } })
        const { message, event } = await hook.message(String(Id))
        expected.push(Text)
        expect(message, Text).to.deep.include({ type: 'edit', targetId: made.id, text: 'When?' })
        expect(message.poll, Text).to.deep.equal({ question: 'When?', options: expected, maxSelections: 0 })
        expect(event.Info, Text).to.include({ Edit: '1' })
        expect(event.Message, Text).to.include.keys('secretEncryptedMessage')
        for (const other of [ana, cid, session.phone]) await other.wait(({ id }) => id === Id)
      }
      const vote = { Action: 'vote', Id: made.id, Data: { Options: ['later', 'never'] } }
      const { message } = await shown(ana, vote)
      expect(message.vote).to.deep.equal({ question: 'When?', options: ['later', 'never'] })
      const { data } = await session.get(`/polls/${made.id}`)
      expect(data.Options.map((one: Body) => [one.Name, one.Votes])).to.deep.equal([
        ['now', 0],
        ['later', 1],
        ['never', 1],
        ['always', 0],
      ])
      const url = `/sandbox/phones/${shop}/chats/${JID}`
      const { Messages } = (await world.gateway.get(url, admin)).data
      const onPhone = Messages.find(({ ID }: Body) => ID === made.id)
      expect(onPhone.Text).to.equal('When?\n○ now\n○ later\n○ never\n○ always')
      expect(onPhone.Answers).to.deep.equal([{ From: ana.account.phone, Chosen: ['later', 'never'] }])
    })

    it('are made as version 3 and 5 by turns, and as 1 for several choices (whatsapp/15)', async () => {
      const bea = await world.phone('Bea')
      const names: string[] = []
      for (const Max of [1, 1, 0]) {
        const action = { Action: 'poll', Chat: shop, Text: 'Which?', Data: { Options: ['a'], Max } }
        const { event } = await shown(bea, action)
        names.push(...Object.keys(event.Message).filter((name) => name.startsWith('pollCreation')))
      }
      expect(names).to.deep.equal(['pollCreationMessageV3', 'pollCreationMessageV5', 'pollCreationMessage'])
    })
  })

  it('to a poll of several choices are votes for each of them, changed and taken back', async () => {
    const Data = { Options: ['bread', 'rolls', 'cake'], Max: 0 }
    const { message: made } = await shown(ana, { Action: 'poll', Chat: shop, Text: 'What?', Data })
    for (const Options of [['bread', 'cake'], ['bread', 'rolls', 'cake'], ['rolls'], []]) {
      const { message } = await shown(ana, { Action: 'vote', Id: made.id, Data: { Options } })
      expect(message.vote).to.deep.equal({ question: 'What?', options: Options })
    }
  })

  it('to events are answers, of others and the account itself, and edits (whatsapp/23)', async () => {
    const startTime = Math.floor(Date.now() / 1000) + 3600
    const id = await ana.send(shop, { Message: { eventMessage: { name: 'Party', startTime } } })
    expect((await hook.message(id)).message).to.include({ type: 'event', text: 'Party' })
    await session.phone.wait((one) => one.id === id)
    for (const [phone, Response, response] of [
      [ana, 'NOT_GOING', 'notGoing'],
      [session.phone, 'GOING', 'going'],
      [session.phone, 'MAYBE', 'maybe'],
    ] as const) {
      const answer = { Action: 'answerEvent', Id: id, Data: { Response, Guests: 2 } }
      const { message, event } = await shown(phone, answer)
      expect(message).to.deep.include({
        type: 'eventResponse',
        targetId: id,
        eventResponse: { response, guests: 2 },
      })
      expect(event.EventResponse).to.deep.equal({ EventID: id, Response: response, Guests: 2 })
    }
    const { message, event } = await shown(ana, { Action: 'editEvent', Id: id, Text: 'Big party' })
    expect(message).to.include({ type: 'edit', targetId: id, text: 'Big party' })
    expect(event.Message.protocolMessage.editedMessage.eventMessage).to.include({ name: 'Big party' })
    const again = { Action: 'answerEvent', Id: id, Data: { Response: 'GOING', Form: 'pn' } }
    expect((await shown(ana, again)).message.eventResponse).to.deep.equal({ response: 'going', guests: 0 })
  })

  it("in a community's announcement group are reactions, taken back too, and comments (whatsapp/22, whatsapp/24)", async () => {
    const { JID } = await session.phone.act({ Action: 'createCommunity', Text: 'Village' })
    const { Groups } = session.phone.view() as { Groups: string[] }
    const chat = Groups.find((one) => one !== JID) ?? ''
    await session.phone.act({ Action: 'addToGroup', Chat: chat, Participants: [ana.account.phone] })
    const id = await session.phone.send(chat, { Text: 'news' })
    await ana.wait((one) => one.id === id)
    for (const Text of ['👍', '']) {
      const { message, event } = await shown(ana, { Action: 'react', Id: id, Text })
      expect(message).to.deep.include({ type: 'reaction', targetId: id, reaction: { emoji: Text } })
      expect(event.Info).to.include({ Type: 'reaction' })
      expect(event.Message).to.include.keys('reactionMessage', 'encReactionMessage')
    }
    // The network lets only admins send anything else.
    await session.phone.act({ Action: 'promote', Chat: chat, Participants: [ana.account.phone] })
    const { message, event } = await shown(ana, { Action: 'comment', Id: id, Text: 'well done' })
    expect(message).to.include({ type: 'comment', targetId: id, text: 'well done' })
    expect(event.Message).to.include.keys('commentMessage', 'encCommentMessage')
    // A comment has a secret of its own.
    await session.phone.wait((one) => one.id === message.id)
    const reaction = { Action: 'react', Id: message.id, Text: '🎉' }
    expect((await shown(session.phone, reaction)).message).to.deep.include({
      targetId: message.id,
      reaction: { emoji: '🎉' },
    })
  })
})
