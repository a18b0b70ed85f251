import { expect } from 'chai'
import cloudApi from '../../plugins/cloud-api/index.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import {
  APP_SECRET,
  type CloudReceiver,
  isSigned,
  startCloudReceiver,
  textsOf,
  VERIFY_TOKEN,
  valueIn,
} from '../plugins/cloud-api/receiver.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { readMetrics } from '../support/metrics.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import type { ReceivedDelivery } from '../support/servers/receiver.ts'
import { admin, type LinkedSession, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

describe('the dialect of the Cloud API on two nodes', () => {
  const database = clusterDatabase()
  const nodes = new Set<TestGateway>()
  let loose: LooseNetwork
  let owner: TestGateway
  let other: TestGateway
  let session: LinkedSession
  let id: string
  let number: string
  let ana: Phone
  let bea: Phone
  let receiver: CloudReceiver

  const start = async (name: string): Promise<TestGateway> => {
    if (!database) throw new Error('no PostgreSQL server')
    const node = await startNode({ name, card: loose.card, database, extra: [cloudApi] })
    nodes.add(node)
    return node
  }
  const stop = async (node: TestGateway): Promise<void> => {
    nodes.delete(node)
    await node.stop()
  }
  const owns = (node: TestGateway): boolean => node.service('ownership').owns(id)

  before(async function () {
    if (!database) return this.skip()
    loose = await startNetwork()
    receiver = await startCloudReceiver()
    owner = await start('a')
    session = await linkPhone(owner, await loose.phones.create({ name: 'Shop' }))
    number = session.phone.account.phone
    id = (await owner.get('/session/all', admin)).data[0].Id
    other = await start('b')
    ana = await loose.phones.create({ name: 'Ana' })
    bea = await loose.phones.create({ name: 'Bea' })
  })
  after(async () => {
    await Promise.all([...nodes].map((node) => node.stop()))
    await receiver?.close()
    await loose?.network.close()
  })

  const authorization = () => ({ authorization: `Bearer ${session.token}` })
  const graph = async (node: TestGateway, path: string, body?: object) => {
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const response = await fetch(`${node.url}/v23.0/${path}`, { headers: authorization(), ...init })
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
    return { status: response.status, body: (await response.json()) as any }
  }
  const send = (node: TestGateway, fields: object) =>
    graph(node, `${number}/messages`, { messaging_product: 'whatsapp', to: ana.account.phone, ...fields })
  const register = (node: TestGateway) =>
    node.call('PUT', '/cloud-api/webhook', {
      headers: session.headers,
      body: { URL: receiver.url, VerifyToken: VERIFY_TOKEN, AppSecret: APP_SECRET },
    })
  const accepted = async (node: TestGateway): Promise<number> => {
    const { value } = await readMetrics(node.url, admin)
    return value('wamux_webhook_attempts_total', { outcome: 'delivered' }) ?? 0
  }
  /** What each chat got, oldest first, of the texts with that word. */
  const came = (word: string): string[] => textsOf(receiver.bodies()).filter((text) => text.startsWith(word))
  const numbered = (word: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `${word} ${at + 1}`)

  it('answers a request at the node that does not serve the session as the other one does', async () => {
    const sent = await send(other, { text: { body: 'through the other node' } })
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200)
    await ana.wait((message) => message.id === sent.body.messages[0].id)
    for (const path of [number, 'me', `${number}/phone_numbers`, '15550000000', `${number}/flows`])
      expect(await graph(other, path), path).to.have.property('status', (await graph(owner, path)).status)
    const [here, there] = await Promise.all([owner, other].map((node) => graph(node, number)))
    expect(there).to.deep.equal(here)
    const refused = await send(other, { to: '5511000000000', text: { body: 'no' } })
    expect(refused.body.error).to.include({ code: 131026, type: 'OAuthException' })
    expect(owns(owner)).to.equal(true)
  })

  it('has a file that was uploaded on one node on both, at addresses of the node that was asked', async () => {
    for (const size of [1_000, 700_000]) {
      const bytes = Buffer.alloc(size, 'a price list, ')
      const form = new FormData()
      form.set('messaging_product', 'whatsapp')
      form.set('file', new Blob([bytes], { type: 'application/pdf' }), 'prices.pdf')
      const uploaded = await fetch(`${other.url}/v23.0/${number}/media`, {
        method: 'POST',
        headers: authorization(),
        body: form,
      })
      const { id: file } = (await uploaded.json()) as { id: string }
      for (const node of [owner, other]) {
        const { body } = await graph(node, file)
        expect(body).to.include({ id: file, mime_type: 'application/pdf', file_size: size })
        expect(body.url).to.equal(`${node.url}/v23.0/${file}/content`)
        const found = await fetch(body.url, { headers: authorization() })
        expect(Buffer.from(await found.arrayBuffer()).equals(bytes)).to.equal(true)
      }
      const sent = await send(owner, { type: 'document', document: { id: file } })
      expect(sent.status, JSON.stringify(sent.body)).to.equal(200)
    }
  })

  it('delivers to a webhook that was registered on the other node, from the node with the session', async () => {
    const set = await register(other)
    expect(set, set.error).to.include({ status: 200 })
    for (const node of [owner, other])
      expect((await node.get('/cloud-api', session.headers)).data.URL).to.equal(receiver.url)
    await ana.send(number, { Text: 'hello' })
    const delivery = await receiver.wait(({ body }) => body.includes('hello'))
    expect(isSigned(delivery)).to.equal(true)
    await eventually(async () => (await accepted(owner)) > 0, 'counted')
    expect(await accepted(other)).to.equal(0)
  })

  it('delivers what waits when its node stops, from the other one, each once and in order', async () => {
    const callback = { biz_opaque_callback_data: 'order 7' }
    const sent = await send(owner, { text: { body: 'before' }, ...callback })
    receiver.answer(() => ({ status: 503 }))
    const [fromAna, fromBea] = [numbered('ana', 6), numbered('bea', 6)]
    const tell = async (phone: Phone, texts: readonly string[]): Promise<void> => {
      for (const Text of texts) await phone.send(number, { Text })
    }
    await Promise.all([tell(ana, fromAna.slice(0, 3)), tell(bea, fromBea.slice(0, 3))])
    await eventually(async () => {
      const { data } = await other.get('/cloud-api', session.headers)
      return data.Waiting >= 6 && data.LastError === 'status 503'
    }, 'six wait')
    const until = receiver.deliveries.length
    const stopped = stop(owner)
    await Promise.all([tell(ana, fromAna.slice(3)), tell(bea, fromBea.slice(3))])
    await stopped
    await eventually(() => owns(other), 'taken over')
    const isUp = (delivery: ReceivedDelivery): boolean => receiver.deliveries.indexOf(delivery) >= until
    receiver.answer(() => ({ status: 200 }))
    for (const text of [...fromAna, ...fromBea])
      await receiver.wait((delivery) => isUp(delivery) && textsOf([contentOf(delivery)]).includes(text))
    await ana.act({ Action: 'read', Chat: number, Id: sent.body.messages[0].id })
    const read = await receiver.body(({ statuses }) => statuses?.[0]?.status === 'read')
    expect(read.statuses?.[0]).to.include(callback)
    await eventually(async () => {
      const { data } = await other.get('/cloud-api', session.headers)
      return data.Waiting === 0
    }, 'nothing waits')
    const { length } = receiver.deliveries
    const values = receiver.deliveries.slice(until, length).map(contentOf)
    const texts = textsOf(values)
    // Tries of the last node may still have come, and were refused.
    expect(inOrder(texts, 'ana')).to.deep.equal(fromAna)
    expect(inOrder(texts, 'bea')).to.deep.equal(fromBea)
  })

  it('loses nothing and keeps the order where a node takes over under traffic', async () => {
    const third = await start('c')
    const [fromAna, fromBea] = [numbered('busy ana', 40), numbered('busy bea', 40)]
    const tell = async (phone: Phone, texts: readonly string[]): Promise<void> => {
      for (const Text of texts) await phone.send(number, { Text })
    }
    const told = Promise.all([tell(ana, fromAna), tell(bea, fromBea)])
    await receiver.wait(({ body }) => body.includes('busy ana 5'))
    await stop(other)
    await told
    await eventually(() => owns(third), 'taken over')
    for (const text of [fromAna.at(-1), fromBea.at(-1)])
      await receiver.wait((delivery) => delivery.body.includes(`"${text}"`))
    await eventually(() => came('busy').length >= 80, 'all of them')
    expect(inOrder(came('busy'), 'busy ana')).to.deep.equal(fromAna)
    expect(inOrder(came('busy'), 'busy bea')).to.deep.equal(fromBea)
    // Each chat may have had one on its way.
    expect(came('busy').length).to.be.at.most(82)
  })
})

const contentOf = ({ body }: ReceivedDelivery) => valueIn(body)

/** The texts of one chat in the order in which each came first. */
function inOrder(texts: readonly string[], word: string): string[] {
  return [...new Set(texts.filter((text) => text.startsWith(`${word} `)))]
}
