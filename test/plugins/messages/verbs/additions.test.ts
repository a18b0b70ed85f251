import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { refuses, shows } from '../../../support/run/proof.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openVersionShop, type VersionShop } from '../../baileys/web-version/shop.ts'
import { type Hook, hookOf } from '../hook.ts'

for (const engine of engines)
  describe(`votes and answers to events on ${engine.name}`, () => {
    let shop: VersionShop
    let session: LinkedSession
    let hook: Hook
    let ana: Phone
    let bob: Phone
    let group: string
    let number: string
    before(async () => {
      shop = await openVersionShop({ engine })
      session = await shop.link('Shop')
      hook = await hookOf(session)
      number = session.phone.account.phone
      ana = await shop.loose.phones.create({ name: 'Ana' })
      bob = await shop.loose.phones.create({ name: 'Bob' })
      const Participants = [number, bob.account.phone]
      group = String((await ana.act({ Action: 'createGroup', Text: 'Team', Participants }))['JID'])
    })
    after(async () => {
      await hook.close()
      await shop.stop()
    })

    const does = async (path: string, body: object) => {
      const { data, status, error, details } = await session.post(path, body)
      expect(status, `${error} ${details}`).to.equal(200)
      return data
    }
    const asked = async (chat: string, Max = 1, Options = ['rye', 'wheat', 'oat']): Promise<string> => {
      const made = await ana.act({ Action: 'poll', Chat: chat, Text: 'Which?', Data: { Options, Max } })
      const id = String(made['Id'])
      await hook.message(id)
      return id
    }
    const answersOn = (phone: Phone, chat: string, id: string) =>
      phone.display.page(chat, Number.MAX_SAFE_INTEGER, 200).find(({ ID }) => ID === id)
    const votes = async (id: string) => {
      const { Options, Voters } = await tally(id)
      return [Voters, ...Options.map(({ Votes }: { Votes: number }) => Votes)]
    }
    const tally = async (id: string) => {
      const { data, status, error } = await session.get(`/polls/${id}`)
      expect(status, error).to.equal(200)
      return data
    }
    /** The chat gets nothing. */
    const isSilent = async (chat: string, post: () => Promise<void>): Promise<void> => {
      const before = ana.messages().length
      await post()
      const { Id } = await does('/send/text', { Phone: chat, Body: 'after it' })
      await ana.wait(({ id }) => id === Id)
      expect(ana.messages()).to.have.length(before + 1)
    }

    shows('POST /message/vote', 'is opened by the author of the poll, replaced and withdrawn', async () => {
      const id = await asked(number)
      for (const Options of [['wheat'], ['rye'], []]) {
        const { Id } = await does('/message/vote', { Phone: ana.account.phone, Id: id, Options })
        expect(Id).to.not.equal(id)
        const vote = await ana.wait((message) => message.id === Id)
        expect(vote.answer).to.deep.equal({ to: id, options: Options })
        expect(vote.attrs).to.include({ type: 'poll' })
        expect(vote.nodes).to.deep.include({ tag: 'meta', attrs: { polltype: 'vote' } })
        const { event, message } = await hook.message(Id)
        expect(event.PollVote).to.deep.equal({ PollID: id, Question: 'Which?', SelectedOptions: Options })
        expect(message).to.include({ type: 'vote', isFromMe: true })
      }
      expect(answersOn(ana, session.phone.account.lid, id)?.Answers).to.deep.equal([
        { From: number, Chosen: [] },
      ])
    })

    shows('POST /message/vote', 'works in groups and own polls, for several options', async () => {
      const theirs = await asked(group, 0)
      const two = { Phone: group, Id: theirs, Options: ['oat', 'rye'] }
      const { Id } = await does('/message/vote', two)
      for (const phone of [ana, bob]) {
        const { answer } = await phone.wait((message) => message.id === Id)
        expect(answer).to.deep.equal({ to: theirs, options: ['rye', 'oat'] })
      }
      const poll = { Phone: group, Question: 'Own?', MaxAnswer: 1, Options: ['yes', 'no'] }
      const own = await does('/send/poll', poll)
      await bob.wait(({ id }) => id === own.Id)
      const vote = await does('/message/vote', { Phone: group, Id: own.Id, Options: ['no'] })
      expect((await bob.wait(({ id }) => id === vote.Id)).answer).to.deep.equal({
        to: own.Id,
        options: ['no'],
      })
    })

    refuses('POST /message/vote', 'other options, too many, and messages that are no polls', async () => {
      const id = await asked(number)
      const text = await ana.send(number, { Text: 'no poll' })
      await hook.message(text)
      const Phone = ana.account.phone
      await isSilent(Phone, async () => {
        const vote = (body: object) => session.post('/message/vote', { Phone, Id: id, ...body })
        expect((await vote({ Options: ['spelt'] })).error).to.equal(
          'Invalid Options: "spelt" is not an option of the poll',
        )
        expect((await vote({ Options: ['rye', 'oat'] })).error).to.equal(
          'Invalid Options: at most 1 can be chosen',
        )
        expect((await vote({ Id: text, Options: [] })).error).to.equal('Invalid Id: is not a poll')
        expect((await vote({ Id: 'NOWHERE', Options: [] })).errorCode).to.equal('MESSAGE_UNKNOWN')
        expect((await vote({ Phone: group, Options: [] })).errorCode).to.equal('MESSAGE_UNKNOWN')
      })
    })

    shows('GET /polls/:id', 'counts the last vote of each person, also after a restart', async () => {
      const id = await asked(group, 0)
      await bob.wait((message) => message.id === id)
      const voted = async (phone: Phone, Options: string[], Form = 'lid'): Promise<void> => {
        const { Id } = await phone.act({ Action: 'vote', Id: id, Data: { Options, Form } })
        await hook.message(String(Id))
      }
      expect(await votes(id)).to.deep.equal([0, 0, 0, 0])
      await voted(ana, ['rye', 'oat'])
      await voted(bob, ['rye'])
      await voted(ana, ['wheat', 'oat'])
      const { Id } = await does('/message/vote', { Phone: group, Id: id, Options: ['oat'] })
      await hook.message(Id)
      await shop.restart()
      const counted = await tally(id)
      expect(counted).to.include({ Id: id, Chat: group, Question: 'Which?', MaxAnswer: 0, Voters: 3 })
      const phones = Object.fromEntries(
        counted.Options.map(({ Name, Voters }: { Name: string; Voters: { Phone: string }[] }) => [
          Name,
          Voters.map(({ Phone }) => Phone),
        ]),
      )
      expect(phones).to.deep.equal({
        rye: [bob.account.phone],
        wheat: [ana.account.phone],
        oat: [ana.account.phone, number],
      })
      await session.status({ LoggedIn: true })
      await voted(bob, [])
      expect(await votes(id)).to.deep.equal([2, 0, 1, 2])
    })

    refuses('GET /polls/:id', 'unknown polls, and those of chats that the key does not see', async () => {
      const [theirs, own] = [await asked(group), await asked(number)]
      const Chats = [ana.account.phone]
      const { data } = await session.post('/keys', { Name: 'ana', Scopes: ['read'], Chats })
      const get = (id: string) => shop.gateway.get(`/polls/${id}`, { token: data.Key })
      expect((await get(own)).data).to.include({ Id: own })
      expect(await get(theirs)).to.include({ status: 404, errorCode: 'MESSAGE_UNKNOWN' })
      expect(await session.get('/polls/NOWHERE')).to.include({ status: 404, errorCode: 'MESSAGE_UNKNOWN' })
      expect(await votes(theirs)).to.deep.equal([0, 0, 0, 0])
    })

    const event = { Name: 'Tasting', Description: 'New loaves', Start: '2030-12-24T18:00:00+01:00' }
    const created = async (chat: string, more: object = {}): Promise<string> => {
      const { Id } = await does('/send/event', { Phone: chat, ...event, ...more })
      await ana.wait(({ id }) => id === Id)
      return Id
    }

    shows('POST /send/event', 'is answered by phones', async () => {
      const Location = { Name: 'Shop', Address: 'Street 1', Latitude: -23.5, Longitude: -46.6 }
      const id = await created(group, { End: '2030-12-24T20:00:00+01:00', Guests: true, Location })
      const { raw, attrs, nodes } = await ana.wait((message) => message.id === id)
      expect(raw.eventMessage).to.deep.include({
        name: 'Tasting',
        description: 'New loaves',
        isCanceled: false,
      })
      expect(Number(raw.eventMessage?.startTime)).to.equal(Date.parse(event.Start) / 1000)
      expect(raw.eventMessage?.location).to.include({ name: 'Shop', degreesLatitude: -23.5 })
      expect(attrs).to.include({ type: 'event' })
      expect(nodes).to.deep.include({ tag: 'meta', attrs: { event_type: 'creation' } })
      const { Id } = await ana.act({ Action: 'answerEvent', Id: id, Data: { Response: 'MAYBE', Guests: 2 } })
      const { event: answered } = await hook.message(String(Id))
      expect(answered.EventResponse).to.deep.equal({ EventID: id, Response: 'maybe', Guests: 2 })
      expect((await hook.message(id)).message).to.include({ type: 'event', text: 'Tasting', isFromMe: true })
    })

    refuses('POST /send/event', 'an end before the beginning, a newsletter, and no name', async () => {
      await isSilent(group, async () => {
        const make = (more: object) => session.post('/send/event', { Phone: group, ...event, ...more })
        expect((await make({ End: event.Start })).error).to.equal('Invalid End: must be after Start')
        expect((await make({ Start: 'soon' })).error).to.match(/^Invalid Start: /)
        expect((await make({ Name: '' })).error).to.equal('Missing Name in Payload')
        const news = await make({ Phone: '120363171234567890@newsletter' })
        expect(news.error).to.match(/^Invalid Phone: /)
      })
    })

    const invited = async (extraGuestsAllowed: boolean): Promise<string> => {
      const eventMessage = { name: 'Party', startTime: 1_900_000_000, extraGuestsAllowed }
      const id = await ana.send(number, { Message: { eventMessage } })
      await hook.message(id)
      return id
    }

    shows('POST /message/event/respond', 'is opened by the author of the event', async () => {
      const id = await invited(true)
      const to = { Phone: ana.account.phone, Id: id }
      for (const [Response, name, Guests] of [
        ['going', 'GOING', 2],
        ['notGoing', 'NOT_GOING', 0],
        ['maybe', 'MAYBE', 0],
      ] as const) {
        const { Id } = await does('/message/event/respond', {
          ...to,
          Response,
          ...(Guests ? { Guests } : {}),
        })
        const got = await ana.wait((message) => message.id === Id)
        expect(got.answer).to.deep.equal({ to: id, response: name, guests: Guests })
        expect(got.attrs).to.include({ type: 'event' })
        expect(got.nodes).to.deep.include({ tag: 'meta', attrs: { event_type: 'response' } })
        const { event } = await hook.message(Id)
        expect(event.EventResponse).to.deep.equal({ EventID: id, Response, Guests })
      }
      const shown = answersOn(ana, session.phone.account.lid, id)
      expect(shown?.Answers).to.deep.equal([{ From: number, Chosen: ['MAYBE'] }])
    })

    refuses(
      'POST /message/event/respond',
      'guests where none are allowed, and what is no event',
      async () => {
        const [id, poll] = [await invited(false), await asked(number)]
        const Phone = ana.account.phone
        await isSilent(Phone, async () => {
          const respond = (body: object) =>
            session.post('/message/event/respond', { Phone, Id: id, Response: 'going', ...body })
          expect((await respond({ Guests: 1 })).error).to.equal('Invalid Guests: the event allows none')
          expect((await respond({ Response: 'perhaps' })).error).to.match(/^Invalid Response: /)
          expect((await respond({ Id: poll })).error).to.equal('Invalid Id: is not an event')
          expect((await respond({ Id: 'NOWHERE' })).errorCode).to.equal('MESSAGE_UNKNOWN')
        })
      },
    )

    shows('POST /message/event/cancel', 'is shown by the members', async () => {
      const id = await created(group)
      const { Id } = await does('/message/event/cancel', { Phone: group, Id: id })
      const got = await ana.wait((message) => message.id === Id)
      expect(got.attrs).to.include({ edit: '1', type: 'event' })
      expect(got.nodes).to.deep.include({ tag: 'meta', attrs: { event_type: 'edit' } })
      await eventually(() => answersOn(ana, group, id)?.Cancelled, 'cancelled')
      const { message, event } = await hook.message(Id)
      expect(message).to.include({ type: 'edit', targetId: id })
      expect(event.Message.protocolMessage.editedMessage.eventMessage).to.include({ isCanceled: true })
    })

    refuses('POST /message/event/cancel', 'events of others, and unknown ones', async () => {
      const id = await invited(false)
      const Phone = ana.account.phone
      await isSilent(Phone, async () => {
        const cancel = (Id: string) => session.post('/message/event/cancel', { Phone, Id })
        expect((await cancel(id)).error).to.equal('Invalid Id: only own events can be cancelled')
        expect((await cancel('NOWHERE')).errorCode).to.equal('MESSAGE_UNKNOWN')
      })
    })
  })
