import { checkPlugin } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import { definePlugin, type LogEvent, type Plugin } from 'wamux/plugin'
import type { MessageHooks, OutgoingMessage, SendOutcome } from '../../../plugins/messaging/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

const hooked = (name: string, hooks: MessageHooks, more: object = {}): Plugin =>
  definePlugin({ name, version: '1.0.0', api: '^1.0.0', contributes: { messageHooks: () => hooks }, ...more })
const textOf = ({ content }: OutgoingMessage): string => ('text' in content ? String(content.text) : '')

describe('hooks around messages', () => {
  const outgoing: string[] = []
  const outcomes: SendOutcome[] = []
  const events: LogEvent[] = []
  const signature = hooked(
    'signature',
    {
      async beforeSend(message) {
        outgoing.push(textOf(message))
        return { content: { text: `${textOf(message)} -- the shop` }, annotations: { signed: true } }
      },
    },
    { order: { after: ['guard'] } },
  )
  const guard = hooked('guard', {
    beforeSend(message) {
      const isRefused = textOf(message).includes('casino')
      return isRefused ? { veto: 'the word "casino" is not allowed' } : { annotations: { checked: 1 } }
    },
    afterSend(outcome) {
      outcomes.push(outcome)
      return { annotations: { ended: outcome.state } }
    },
    onIncoming({ message }) {
      const text = message.message?.conversation ?? message.message?.extendedTextMessage?.text ?? ''
      if (text === 'fail') throw new Error('no idea')
      return text === 'spam' ? { isDropped: true } : { annotations: { length: text.length } }
    },
  })
  const reader = definePlugin({
    name: 'reader',
    version: '1.0.0',
    api: '^1.0.0',
    on: { Message: (event) => void events.push(event), SendFailed: (event) => void events.push(event) },
  })
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    world = await startWorld({ extra: [signature, guard, reader] })
    session = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana')
  })
  after(() => world.stop())
  const event = (id: string): Promise<LogEvent> =>
    eventually(
      () =>
        events.find(({ body }) => {
          const { Info, Id } = body['event'] as { Info?: { ID: string }; Id?: string }
          return (Info?.ID ?? Id) === id
        }),
      `event of ${id}`,
    )
  const send = (Body: string, extra: object = {}) =>
    session.post('/send/text', { Phone: ana.account.phone, Body, ...extra })

  it('change and annotate a send in the declared order, and see how it ended', async () => {
    const { data } = await send('Hello')
    const received = await ana.wait(({ id }) => id === data.Id)
    expect(JSON.stringify(received)).to.include('Hello -- the shop')
    const annotations = { guard: { checked: 1 }, signature: { signed: true } }
    expect(outcomes.at(-1)).to.deep.include({ id: data.Id, state: 'sent', code: '', annotations })
    expect((await event(data.Id)).body['annotations']).to.deep.equal({
      ...annotations,
      guard: { checked: 1, ended: 'sent' },
    })
  })

  it('veto a send with a reason that the caller gets; nothing is stored or sent', async () => {
    outgoing.length = 0
    const Id = '3EB0AAAAAAAAAAAAAAAAAA'
    const answer = await send('casino!', { Id })
    expect(answer).to.include({ status: 403, errorCode: 'SEND_VETOED' })
    expect(answer.error).to.equal(
      'The plugin "guard" refused to send this message: the word "casino" is not allowed',
    )
    expect(outgoing).to.deep.equal([])
    // The id is free: the refusal stored nothing under it.
    expect(await send('poker?', { Id })).to.include({ status: 200 })
    expect(world.gateway.service('messageHookChain').vetoed.get('guard')).to.equal(1)
  })

  it('do not run again for a repeated id', async () => {
    const Id = '3EB0BBBBBBBBBBBBBBBBBB'
    await send('once', { Id })
    outgoing.length = 0
    expect(await send('once', { Id })).to.include({ status: 200 })
    expect(outgoing).to.deep.equal([])
  })

  it('keep what they annotated on a message that a later link sends', async () => {
    outgoing.length = 0
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'delay', Ms: 1_000 })
    const headers = { ...session.headers, Prefer: 'respond-async' }
    const body = { Phone: ana.account.phone, Body: 'later' }
    const answer = await world.gateway.post('/send/text', body, headers)
    await ana.wait(({ id }) => id === answer.data.Id)
    world.fault({ Phone: phone, Fault: 'drop' })
    world.fault({ Phone: phone, Fault: 'clear' })
    const logged = await event(answer.data.Id)
    expect(logged.body['annotations']).to.deep.include({ signature: { signed: true } })
    expect(outgoing).to.deep.equal(['later'])
  })

  it('annotate and drop what comes in, and a hook that fails changes nothing', async () => {
    const shop = session.phone.account.phone
    const spam = await ana.send(shop, { Text: 'spam' })
    const good = await ana.send(shop, { Text: 'good' })
    const fail = await ana.send(shop, { Text: 'fail' })
    expect((await event(good)).body['annotations']).to.deep.equal({ guard: { length: 4 } })
    expect((await event(fail)).body).to.not.have.property('annotations')
    const ids = events.map(({ body }) => (body['event'] as { Info?: { ID: string } }).Info?.ID)
    expect(ids).to.not.include(spam)
    expect(world.gateway.service('messageHookChain').dropped.get('guard')).to.equal(1)
  })
})

describe('checkPlugin', () => {
  it('finds message hooks that do not exist', async () => {
    const hooks = { beforesend: () => undefined } as MessageHooks
    expect((await checkPlugin(hooked('odd', hooks))).join()).to.include('message hooks that do not exist')
    expect(await checkPlugin(hooked('even', { beforeSend: () => undefined }))).to.deep.equal([])
  })
})

describe('sender.message', () => {
  it('sends from a plugin without a request, once for an id, by the hooks', async () => {
    const seen: string[] = []
    let id = ''
    const watch = hooked('watch', {
      beforeSend: ({ path, session: of }) => {
        seen.push(path)
        id = of
      },
    })
    const world = await startWorld({ extra: [watch] })
    const session = await world.linked(await world.phone('Shop'))
    const ana = await world.phone('Ana')
    await session.post('/send/text', { Phone: ana.account.phone, Body: 'by a request' })
    const sender = world.gateway.service('sender')
    const message = { to: ana.account.phone, content: { text: 'from a job' }, id: '3EB0CCCCCCCCCCCCCCCCCC' }
    const first = await sender.message('my-plugin', id, message)
    const again = await sender.message('my-plugin', id, message)
    expect(again.Id).to.equal(first.Id)
    await ana.wait((message) => message.id === first.Id)
    expect(seen).to.deep.equal(['/send/text', 'my-plugin'])
    const fault = await sender
      .message('my-plugin', 'nobody', message)
      .catch((error: { code: string }) => error)
    expect(fault).to.have.property('code', 'SESSION_UNKNOWN')
    await world.stop()
  })
})
