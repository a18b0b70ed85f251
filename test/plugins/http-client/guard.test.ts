import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { freePort } from '../../../config/build/port.ts'
import { createLog } from '../../../kernel/logging/log.ts'
import { createHttpClient, type HttpClient } from '../../../plugins/http-client/http-client.ts'

describe('guarded client', () => {
  let server: Server
  let port: number
  let calls = 0
  before(async () => {
    server = createServer((_, response) => {
      calls += 1
      response.end('ok')
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    port = (server.address() as AddressInfo).port
  })

  const lines: string[] = []
  const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } })
  const made: HttpClient[] = []
  const client = (allowPrivateHosts: string[]): HttpClient => {
    const http = createHttpClient({ config: { httpsOnly: false }, settings: { allowPrivateHosts }, log })
    made.push(http)
    return http
  }
  after(async () => {
    await Promise.all(made.map((http) => http.close()))
    server.close()
  })
  const post = (http: HttpClient, host: string) =>
    http.post(`http://${host}:${port}/`, { body: '{}', headers: {}, timeoutMs: 2000 })

  const spellings = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
  ]
  for (const host of spellings) {
    it(`does not reach ${host}`, async () => {
      calls = 0
      const refusal = await post(client([]), host).then(
        () => 'reached',
        (error: Error) => error.message,
      )
      expect(refusal).to.include('WAMUX_ALLOW_PRIVATE_HOSTS')
      expect(calls).to.equal(0)
    })

    it(`opens no connection to ${host}`, async () => {
      const outcome = await client([])
        .connect(host, port)
        .catch((error: Error) => error.message)
      expect(outcome).to.include('WAMUX_ALLOW_PRIVATE_HOSTS')
    })
  }

  // Each with what it is.
  const refused: Record<string, readonly string[]> = {
    'this host': ['0.0.0.0', '0.1.2.3', '::', '127.255.255.254', '::1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fd12:3456::1'],
    'carrier, link-local, site-local': ['100.64.0.1', '100.127.255.255', '169.254.1.1', 'fe80::1', 'fec0::1'],
    'metadata of clouds': [
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '192.0.0.192',
      '168.63.129.16',
      '::ffff:168.63.129.16',
      'fd00:ec2::254',
      'fd20:ce::254',
    ],
    'multicast and broadcast': ['224.0.0.1', '239.255.255.250', 'ff02::1', 'ff0e::1', '255.255.255.255'],
    reserved: [
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '240.0.0.1',
      '2001:db8::1',
      '3fff::1',
    ],
    'outside of global unicast': [
      '4000::1',
      '8000::1',
      '5f00::1',
      '100::1',
      '1::1',
      '::1:0:0',
      '::1:0:a00:1',
    ],
    'IPv4-mapped': ['::ffff:10.0.0.1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe'],
    'IPv4-translated': ['::ffff:0:10.0.0.1', '::ffff:0:8.8.8.8'],
    'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::8.8.8.8', '::a9fe:a9fe'],
    NAT64: ['64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::10.0.0.1', '64:ff9b:1:fffe::a00:1'],
    '6to4': ['2002:a00:1::1', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1'],
    Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:f5ff:fffe'],
    ISATAP: ['2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:a00:1'],
  }
  for (const [kind, addresses] of Object.entries(refused))
    it(`refuses every address that is ${kind}, in a URL and for a connection`, async () => {
      const http = client([])
      for (const address of addresses) {
        const host = address.includes(':') ? `[${address}]` : address
        for (const url of [`http://${host}/`, `https://${host}:8443/a`])
          expect(() => http.check('WebhookURL', url), url).to.throw('is on a private address')
        const outcome = await http.connect(address, 80).catch((error: Error) => error.message)
        expect(outcome, address).to.include('is on a private address')
      }
    })

  it('refuses an address of more than 8,192 characters, and does not repeat it', async () => {
    const http = client(['127.0.0.1'])
    const url = `http://127.0.0.1:${port}/${'x'.repeat(1_000_000)}`
    calls = 0
    const loading = http.download(url, { maxBytes: 10, timeoutMs: 2_000 })
    const reason = await loading.catch((error: Error) => error.message)
    expect(reason).to.equal('must NOT have more than 8192 characters')
    expect(() => http.check('URL', url)).to.throw('Invalid URL: must NOT have more than 8192 characters')
    expect(calls).to.equal(0)
    expect(lines.join('')).to.have.length.below(100_000)
  })

  it('allows what is public', () => {
    const http = client([])
    for (const host of ['8.8.8.8', '168.63.129.15', '[2001:4860:4860::8888]', '[::ffff:8.8.8.8]'])
      expect(() => http.check('WebhookURL', `https://${host}/`), host).not.to.throw()
  })

  it('opens connections to exempt hosts, which may be reset before anybody listens to them', async () => {
    for (const [allowed, host] of [
      ['127.0.0.0/8', '127.0.0.1'],
      ['localhost', 'localhost'],
    ] as const) {
      const socket = await client([allowed]).connect(host, port)
      expect(socket.remotePort).to.equal(port)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.destroy(new Error('reset'))
      await closed
    }
    const refused = client(['127.0.0.1']).connect('127.0.0.1', await freePort())
    const reason = await refused.catch((error: Error) => error.message)
    expect(reason).to.equal('the host refused the connection (ECONNREFUSED)')
  })

  it('hides resolved addresses from clients, and logs them', async () => {
    const closed = await freePort()
    const urls = {
      private: [[], `http://localhost:${port}/`],
      refused: [['localhost'], `http://localhost:${closed}/`],
      noTls: [['localhost'], `https://localhost:${port}/`],
      unknown: [[], 'http://nobody.invalid/'],
    } as const
    const reasons: Record<string, string> = {}
    for (const [name, [allowed, url]] of Object.entries(urls)) {
      const http = client([...allowed])
      const posted = http.post(url, { body: '{}', headers: {}, timeoutMs: 2000 })
      reasons[name] = await posted.then(String, (error: Error) => error.message)
      const loaded = http.download(url, { maxBytes: 10, timeoutMs: 2000 })
      expect(await loaded.then(String, (error: Error) => error.message)).to.equal(reasons[name])
    }
    expect(reasons['private']).to.equal(
      'the host is on a private address; the operator can allow it: WAMUX_ALLOW_PRIVATE_HOSTS=localhost',
    )
    expect(reasons['refused']).to.equal('the host refused the connection (ECONNREFUSED)')
    expect(reasons['noTls']).to.match(/^the TLS handshake failed/)
    expect(reasons['unknown']).to.match(/^the host name does not resolve/)
    expect(Object.values(reasons).join()).to.not.match(/127\.0\.0\.1|::1/)
    expect(lines.join('')).to.match(/localhost is on a private address \((127\.0\.0\.1|::1)\)/)
    expect(lines.join('')).to.match(/ECONNREFUSED (127\.0\.0\.1|::1)/)
  })

  it('says how to allow a host beside others, which it does not show', async () => {
    for (const [url, host] of [
      ['http://10.1.2.3/', '10.1.2.3'],
      ['http://[::1]:80/', '::1'],
    ] as const) {
      const posted = client(['hooks.internal']).post(url, { body: '', headers: {}, timeoutMs: 2000 })
      const reason = await posted.then(String, (error: Error) => error.message)
      expect(reason).to.equal(
        `the host is on a private address; the operator can allow it: add ,${host} to WAMUX_ALLOW_PRIVATE_HOSTS`,
      )
    }
  })

  it('allows exempt hosts, by range or by name', async () => {
    expect(await post(client(['127.0.0.0/8']), '127.0.0.1')).to.include({ status: 200 })
    expect(await post(client(['localhost']), 'localhost')).to.include({ status: 200 })
  })

  it('refuses plain http if only https is allowed', () => {
    const http = createHttpClient({ config: { httpsOnly: true }, settings: { allowPrivateHosts: [] }, log })
    made.push(http)
    expect(() => http.check('WebhookURL', 'http://example.com')).to.throw('Invalid WebhookURL: must be https')
  })
})
