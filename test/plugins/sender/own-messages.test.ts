import { expect } from 'chai'
import { type Attempt, definePlugin } from 'wamux/plugin'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { messageLogged } from '../../support/sessions.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

const CLIENT_ID = /^3EB0[0-9A-F]{18}$/
const DEAD_AFTER = 2

describe('a message with which a consumer answers an event', () => {
  /** By the text that is answered. */
  const attempts = new Map<string, Attempt[]>()
  const answers = definePlugin({
    name: 'answers',
    version: '1.0.0',
    api: '^1.0.0',
    needs: ['sender'],
    consume: {
      types: ['Message'],
      isPerSession: true,
      deadLetter: { after: DEAD_AFTER },
      async handle(events, { sender }, attempt) {
        for (const { id, session, body } of events) {
          const { Info, Message } = body['event'] as {
            Info: { Chat: string; IsFromMe: boolean }
            Message: { conversation?: string; extendedTextMessage?: { text: string } }
          }
          if (Info.IsFromMe) continue
          const text = Message.conversation ?? Message.extendedTextMessage?.text ?? ''
          attempts.set(text, [...(attempts.get(text) ?? []), attempt])
          const content = { text: `Re: ${text}` }
          // Two of them answer the same event under its id.
          for (const path of text === 'twice' ? ['first', 'second'] : ['answers'])
            await sender.message(path, session, { to: Info.Chat, content, id })
        }
      },
    },
  })
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [answers] }))
  })
  after(() => world.stop())

  const refuse = (Code: number, more: object = {}) =>
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code, ...more })
  const ask = (Text: string) => ana.send(session.phone.account.phone, { Text })
  const answersTo = (text: string) =>
    ana.messages().filter(({ raw }) => raw.extendedTextMessage?.text === `Re: ${text}`)
  const answerTo = (text: string) => eventually(() => answersTo(text)[0], `answer to "${text}"`)
  const numbers = (text: string) => attempts.get(text)?.map(({ number }) => number)

  for (const code of [503, 500, 429]) {
    it(`goes out at the next try after the network refused it with ${code}`, async () => {
      refuse(code, { Count: 1 })
      const text = `after ${code}`
      await ask(text)
      expect((await answerTo(text)).id).to.match(CLIENT_ID)
      expect(numbers(text)).to.deep.equal([1, 2])
      // In one batch with the next question, its event would share that attempt.
      await messageLogged(world.gateway, session.headers, `Re: ${text}`)
    })
  }

  it('is not sent again after a final refusal until an operator has it tried again', async () => {
    refuse(403)
    await ask('forbidden')
    const letters = async () =>
      (await world.gateway.get('/server/consumers/answers/dead-letters', admin)).data.DeadLetters
    await eventually(async () => (await letters()).length === 1, 'dead letter')
    expect(world.counters()['refused'], 'the refusals before, and one').to.equal(4)
    expect(attempts.get('forbidden')?.some(({ isManual }) => isManual)).to.equal(false)

    const retry = async () => {
      const { data } = await world.gateway.post('/server/consumers/answers/dead-letters/retry', {}, admin)
      return data.Left
    }
    expect(await retry()).to.equal(1)
    expect(world.counters()['refused'], 'it was tried').to.equal(5)
    expect(attempts.get('forbidden')?.at(-1)).to.deep.equal({ number: DEAD_AFTER + 1, isManual: true })
    expect((await letters())[0]).to.include({ Attempts: DEAD_AFTER + 1 })
    world.fault({ Phone: session.phone.account.phone, Fault: 'clear' })
    expect(await retry()).to.equal(0)
    await answerTo('forbidden')
    expect(answersTo('forbidden')).to.have.length(1)
  })

  it('has an id of its own beside those of others that answer the event', async () => {
    await ask('twice')
    await eventually(() => answersTo('twice').length === 2, 'both answers')
    const [first, second] = answersTo('twice').map(({ id }) => id)
    expect(first).to.match(CLIENT_ID).and.to.not.equal(second)
  })
})
