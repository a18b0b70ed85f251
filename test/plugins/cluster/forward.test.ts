import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { createForwarder } from '../../../plugins/cluster/forward.ts'
import { tunnel } from '../../../plugins/cluster/tunnel.ts'
import { type Listener, startListener } from '../../support/servers/listener.ts'

const hop = (_to: string, { path }: { path: string }) => ({ 'x-wamux-hop': path })
const owner = (url: string) => ({ id: 'a', url, name: 'a' })
const requestFor = (url: string, headers: Record<string, string> = {}): IncomingMessage =>
  ({ method: 'GET', url, headers }) as unknown as IncomingMessage

describe('a call that is sent on to another node', () => {
  let node: Listener
  let other: Listener
  beforeEach(async () => {
    node = await startListener()
    other = await startListener()
  })
  afterEach(() => Promise.all([node.close(), other.close()]))

  const targets = (host: string): string[] => [
    `http://${host}/events?after=1`,
    `//${host}/events?after=1`,
    `/\\${host}/events?after=1`,
    `ws://${host}/events?after=1`,
  ]

  it('reaches that node only, whatever host its target names', async () => {
    const forwarder = createForwarder(hop)
    const { host } = new URL(other.url)
    for (const target of [...targets(host), '/events?after=1']) {
      await forwarder.forward({ raw: requestFor(target), address: '' }, owner(node.url), undefined)
      const path = node.requests.at(-1)?.url ?? ''
      expect(path, target).to.match(/^\/.*events\?after=1$/)
      expect(node.requests.at(-1)?.headers['x-wamux-hop'], target).to.equal(path)
    }
    expect(node.requests).to.have.length(5)
    expect(other.requests).to.have.length(0)
    await forwarder.close()
  })

  it('opens a WebSocket on that node only', async () => {
    const { host } = new URL(other.url)
    for (const target of targets(host)) {
      const upgrade = async () => Promise.reject(new Error('not reached'))
      await tunnel({ raw: requestFor(target), address: '', upgrade }, owner(node.url), hop)
    }
    expect(node.requests).to.have.length(4)
    expect(other.requests).to.have.length(0)
  })

  it('leaves out what a `Connection` header names, and takes a long one in a moment', async () => {
    const forwarder = createForwarder(hop)
    const headers = { connection: 'close, X-Own', 'x-own': '1', 'x-kept': '2' }
    await forwarder.forward({ raw: requestFor('/events', headers), address: '' }, owner(node.url), undefined)
    expect(node.requests[0]?.headers).to.include({ 'x-kept': '2' }).and.not.have.property('x-own')
    const hostile = requestFor('/events', { connection: `${' '.repeat(200_000)}x` })
    const before = process.cpuUsage()
    await forwarder.forward({ raw: hostile, address: '' }, owner(node.url), undefined)
    const { user } = process.cpuUsage(before)
    expect(user / 1000, 'milliseconds of CPU').to.be.below(200)
    await forwarder.close()
  })
})
