import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Client, linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { picture } from '../../support/picture.ts'

/** As unmodified clients administer them. */
describe('newsletters of the local network', () => {
  let local: LooseNetwork
  let owner: Client
  let ana: Phone
  let bea: Client
  let jid: string
  const settings: unknown[] = []
  before(async () => {
    local = await startNetwork()
    ana = await local.phones.create({ name: 'Ana' })
    owner = await linkClient(local.network, ana)
    const phone = await local.phones.create({ name: 'Bea' })
    bea = await linkClient(local.network, phone)
    bea.wa.ev.on('newsletter-settings.update', (update) => settings.push(update))
    jid = String((await ana.act({ Action: 'createNewsletter', Text: 'News' }))['JID'])
    await bea.wa.newsletterFollow(jid)
  })
  after(async () => {
    await Promise.all([owner?.close(), bea?.close()])
    await local.network.close()
  })

  const metadata = async () => owner.wa.newsletterMetadata('jid', jid)
  const rejection = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'resolved',
      (error: Error) => error.message,
    )

  it('get a new name, description and picture, of which followers are notified', async () => {
    await owner.wa.newsletterUpdateName(jid, 'Daily news')
    await owner.wa.newsletterUpdateDescription(jid, 'at six')
    const [, base64 = ''] = (await picture()).split(',')
    await owner.wa.newsletterUpdatePicture(jid, Buffer.from(base64, 'base64'))
    const { thread_metadata: thread } = (await metadata()) as unknown as {
      thread_metadata: Record<string, { text: string; direct_path: string }>
    }
    expect(thread['name']?.text).to.equal('Daily news')
    expect(thread['description']?.text).to.equal('at six')
    expect(thread['picture']?.direct_path).to.match(/^\/profile\/\d+$/)
    await eventually(() => settings.length >= 2, 'notified', { progress: () => settings.length })
    expect(settings.slice(0, 2)).to.deep.equal([
      { id: jid, update: { name: 'Daily news' } },
      { id: jid, update: { description: 'at six' } },
    ])
    await owner.wa.newsletterRemovePicture(jid)
    expect(await metadata()).to.have.nested.property('thread_metadata.picture', null)
  })

  it('show subscribers and count admins, to admins only', async () => {
    const answer = (await owner.wa.newsletterSubscribers(jid)) as unknown as {
      subscribers: { edges: { role: string }[] }
    }
    expect(answer.subscribers.edges.map(({ role }) => role)).to.deep.equal(['OWNER', 'SUBSCRIBER'])
    expect(await owner.wa.newsletterAdminCount(jid)).to.equal(1)
    expect(await rejection(bea.wa.newsletterAdminCount(jid))).to.include('forbidden')
    expect(await rejection(bea.wa.newsletterUpdateName(jid, 'Mine'))).to.include('forbidden')
    expect(await rejection(bea.wa.newsletterDelete(jid))).to.include('forbidden')
    expect(await rejection(owner.wa.newsletterUpdateName(jid, ''))).to.include('empty')
    expect(await metadata()).to.have.nested.property('thread_metadata.name.text', 'Daily news')
  })

  it('answer which counts changed', async () => {
    const ids: unknown[] = []
    for (const text of ['one', 'two'])
      ids.push((await ana.act({ Action: 'postNewsletter', Chat: jid, Text: text }))['Id'])
    await bea.wa.newsletterReactMessage(jid, '101', '👍')
    const result = await owner.wa.newsletterFetchMessages(jid, 10, 0, 100)
    const [updates] = result.content as { content: { content: { attrs: Record<string, string> }[] }[] }[]
    const [messages] = updates?.content ?? []
    expect(messages?.content.map(({ attrs }) => attrs['server_id'])).to.deep.equal(['101'])
    expect(messages?.content[0]?.attrs['id']).to.equal(ids[1])
    expect(JSON.stringify(messages)).to.include('👍')
  })

  it('change their owner, who demotes the former one and deletes them', async () => {
    const { me } = bea.wa.authState.creds
    expect(await rejection(owner.wa.newsletterChangeOwner(jid, '123@lid'))).to.include('not a follower')
    await owner.wa.newsletterChangeOwner(jid, me?.lid ?? '')
    expect(await bea.wa.newsletterAdminCount(jid)).to.equal(2)
    expect(await rejection(owner.wa.newsletterDelete(jid))).to.include('forbidden')
    await bea.wa.newsletterDemote(jid, ana.account.lid)
    expect(await bea.wa.newsletterAdminCount(jid)).to.equal(1)
    expect(await metadata()).to.have.nested.property('viewer_metadata.role', 'SUBSCRIBER')
    await bea.wa.newsletterDelete(jid)
    expect(await rejection(owner.wa.newsletterMetadata('jid', jid))).to.include('item-not-found')
  })
})
