import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

const Options = ['rye', 'wheat', 'oat']

for (const engine of engines)
  describe(`quizzes in newsletters on ${engine.name}`, () => {
    let world: World
    let shop: LinkedSession
    let bea: Phone
    let told: Events
    /** The shop's own, which Bea follows. */
    let own: string
    before(async () => {
      world = await startWorld({}, engine)
      shop = await world.linked(await world.phone('Shop'))
      bea = await world.phone('Bea')
      told = await eventsOf(shop)
      own = (await shop.post('/newsletter/create', { Name: 'Bread news', Description: 'rye' })).data.id
      await bea.act({ Action: 'followNewsletter', Chat: own })
    })
    after(async () => {
      await told.close()
      await world.stop()
    })

    const quiz = { Question: 'Which bread has no wheat?', MaxAnswer: 1, Options, CorrectAnswer: 'oat' }
    const correctAnswer = {
      optionName: 'oat',
      optionHash: createHash('sha256').update('oat').digest('hex'),
    }

    shows(
      ['POST /send/poll', 'GET /polls/:id'],
      'is a quiz with its right answer for followers, in the event and in the count',
      async () => {
        const context = { ContextInfo: { IsForwarded: true } }
        const { data, error } = await shop.post('/send/poll', { Phone: own, ...quiz, ...context })
        const post = await bea.wait(({ id }) => id === data?.Id)
        expect(post.message, error).to.have.property('pollCreationMessageV3').that.deep.include({
          name: quiz.Question,
          pollType: 'QUIZ',
          correctAnswer,
        })
        expect(post.message).to.have.nested.property('pollCreationMessageV3.contextInfo.isForwarded', true)
        expect(post.attrs).to.include({ type: 'poll' })
        expect(post.nodes).to.deep.include({ tag: 'meta', attrs: { polltype: 'quiz_creation' } })
        const shown = bea.display.page(own, Number.MAX_SAFE_INTEGER, 200).find(({ ID }) => ID === data.Id)
        expect(shown?.Text).to.equal('Which bread has no wheat?\n○ rye\n○ wheat\n✓ oat')
        const { message } = (await told.wait('Message', ({ Info }) => Info.ID === data.Id)) as unknown as {
          message: { poll: object }
        }
        expect(message.poll).to.deep.equal({
          question: quiz.Question,
          options: Options,
          maxSelections: 1,
          correctAnswer: 'oat',
        })
        expect((await shop.get(`/polls/${data.Id}`)).data).to.include({ CorrectAnswer: 'oat', Voters: 0 })
      },
    )

    shows(
      'GET /polls/:id',
      'has no right answer of a poll, and that of a quiz from another admin',
      async () => {
        const news = String((await bea.act({ Action: 'createNewsletter', Text: 'Street news' }))['JID'])
        await shop.post('/newsletter/subscribe', { JID: news })
        const asked = async (Data: object): Promise<string> => {
          const { Id } = await bea.act({
            Action: 'poll',
            Chat: news,
            Text: 'Which?',
            Data: { Options, ...Data },
          })
          await told.wait('Message', ({ Info }) => Info.ID === Id)
          return String(Id)
        }
        const answer = async (id: string) => (await shop.get(`/polls/${id}`)).data.CorrectAnswer
        expect(await answer(await asked({}))).to.equal('')
        expect(await answer(await asked({ CorrectAnswer: 'rye' }))).to.equal('rye')
      },
    )

    refuses('POST /send/poll', 'a quiz elsewhere, and one without a right answer', async () => {
      const before = world.counters()['messages']
      const faults: [Record<string, unknown>, string][] = [
        [{ Phone: bea.account.phone }, 'Invalid CorrectAnswer: WhatsApp has quizzes in newsletters only'],
        [{ CorrectAnswer: 'spelt' }, 'Invalid CorrectAnswer: "spelt" is not one of Options'],
        [{ MaxAnswer: 2 }, 'Invalid MaxAnswer: must be 1 in a quiz'],
        [{ MaxAnswer: 0 }, 'Invalid MaxAnswer: must be 1 in a quiz'],
      ]
      for (const [body, error] of faults) {
        const answer = await shop.post('/send/poll', { Phone: own, ...quiz, ...body })
        expect(answer).to.include({ status: 400, error })
      }
      expect(world.counters()['messages']).to.equal(before)
    })
  })
