import { expect } from 'chai'
import type { LogEvent } from '../../../kernel/plugin.ts'
import { eventually } from '../../support/eventually.ts'
import { createProbe } from '../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('a session that follows a newsletter itself', () => {
  const probe = createProbe()
  let world: World
  let owner: LinkedSession
  let ana: LinkedSession
  let news: string

  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
    owner = await world.linked(await world.phone('Owner'))
    ana = await world.linked(await world.phone('Ana'), { subscribe: ['Newsletter'] })
    news = (await owner.post('/newsletter/create', { Name: 'News' })).data.id
  })
  after(() => world.stop())

  const own = async (type: string, session: LinkedSession): Promise<LogEvent[]> => {
    const id = (await probe.session(session.token))?.id
    return probe.events(type).filter((line) => line.session === id)
  }
  const joins = (session = ana): Promise<LogEvent[]> => own('NewsletterJoin', session)
  const follow = async (body: object = { JID: news }): Promise<void> => {
    expect((await ana.post('/newsletter/subscribe', body)).error).to.equal(undefined)
  }

  it('logs NewsletterJoin, by JID or by link', async () => {
    await follow()
    const [event, ...more] = await joins()
    expect(more).to.deep.equal([])
    expect(event?.body['event']).to.nested.include({
      id: news,
      'thread_metadata.name.text': 'News',
      'viewer_metadata.role': 'subscriber',
      'viewer_metadata.mute': 'off',
    })
    const other = (await owner.post('/newsletter/create', { Name: 'Other' })).data
    await follow({ Code: other.thread_metadata.invite })
    expect((await joins()).map(({ body }) => (body['event'] as { id: string }).id)).to.deep.equal([
      news,
      other.id,
    ])
  })

  it('logs nothing for a newsletter that it follows already', async () => {
    const before = (await joins()).length
    await follow()
    expect(await joins()).to.have.length(before)
  })

  it('logs one event where the network notifies it too', async () => {
    const before = (await joins()).length
    const id = (await probe.session(ana.token))?.id ?? ''
    const metadata = { id: news, state: { type: 'ACTIVE' }, viewer_metadata: { role: 'SUBSCRIBER' } }
    const update = JSON.stringify({ data: { xwa2_notify_newsletter_on_join: metadata } })
    await probe.log.raise(id, 'stanza.notification', {
      tag: 'notification',
      attrs: { type: 'mex', id: 'echo', from: news },
      content: [{ tag: 'update', attrs: {}, content: Buffer.from(update) }],
    })
    expect(await joins()).to.have.length(before)
  })

  it('logs another join after it has left', async () => {
    const before = (await joins()).length
    await ana.phone.act({ Action: 'unfollowNewsletter', Chat: news })
    await eventually(async () => (await own('NewsletterLeave', ana))[0], 'left')
    await follow()
    expect(await joins()).to.have.length(before + 1)
  })

  it('logs NewsletterJoin for a newsletter that it created', async () => {
    const { data } = await owner.post('/newsletter/create', { Name: 'Third' })
    const last = (await joins(owner)).at(-1)
    expect(last?.body['event']).to.nested.include({ id: data.id, 'viewer_metadata.role': 'owner' })
  })

  it('logs nothing for a newsletter that it could not join', async () => {
    const before = (await joins()).length
    const answer = await ana.post('/newsletter/subscribe', { JID: '120363000000000000@newsletter' })
    expect(answer).to.include({ status: 404, error: 'Newsletter not found' })
    expect(await joins()).to.have.length(before)
  })
})
