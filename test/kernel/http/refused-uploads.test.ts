import { connect } from 'node:net'
import { expect } from 'chai'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'
import { sized } from '../../support/run/whole.ts'

const MB = 1024 * 1024
const TOTAL = 60 * MB
const CHUNK = Buffer.alloc(64 * 1024, 'A')

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/file', {
      summary: 'Takes a file',
      access: 'admin',
      body: T.Object({ File: T.String({ format: 'file' }) }),
      handle: async ({ body }) => ({ Length: body.File.length }),
    }),
    r.post('/plain', { summary: 'Reads no body', access: 'public', handle: async () => ({}) }),
  ],
})

interface Upload {
  path: string
  headers: Record<string, string>
  /** Sends a part as often as this, instead of as fast as they are read. */
  everyMs?: number
}

describe('an upload that is refused', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: probe }], bodyLimit: TOTAL })
  })
  after(() => gateway.stop())

  /** Sends 60 MB; resolves with the answer and the bytes that were read when it is cut off. */
  const upload = ({ path, headers, everyMs }: Upload): Promise<{ answer: string; sent: number }> =>
    new Promise((resolve) => {
      const { port, hostname } = new URL(gateway.url)
      const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
      let answer = ''
      const socket = connect(Number(port), hostname, () => {
        socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
        if (headers['transfer-encoding']) socket.write(`${TOTAL.toString(16)}\r\n`)
        if (everyMs) {
          const timer = setInterval(() => socket.write(CHUNK), everyMs)
          socket.on('close', () => clearInterval(timer))
          return
        }
        const more = (): void => {
          while (socket.bytesWritten < TOTAL && socket.writable) if (!socket.write(CHUNK)) return
        }
        socket.on('drain', more)
        more()
      })
      socket.on('data', (data) => {
        answer += data
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve({ answer, sent: socket.bytesWritten - socket.writableLength }))
    })

  const declared = { 'content-length': String(TOTAL) }
  const cases: readonly [what: string, upload: Upload, status: number][] = [
    ['under a wrong token', { path: '/file', headers: { admintoken: 'wrong', ...declared } }, 401],
    ['slowly under a wrong token', { path: '/file', headers: declared, everyMs: 20 }, 401],
    ['in chunks under a wrong token', { path: '/file', headers: { 'transfer-encoding': 'chunked' } }, 401],
    ['to a path that is none', { path: '/none', headers: declared }, 404],
    [
      'that is declared too large',
      { path: '/file', headers: { admintoken: ADMIN, 'content-length': String(TOTAL + 1) } },
      413,
    ],
    ['to a route that takes no body', { path: '/plain', headers: declared }, 200],
  ]
  for (const [what, given, status] of cases) {
    it(`${what} is answered ${status} and read no further`, async () => {
      const { answer, sent } = await upload(given)
      expect(answer)
        .to.match(new RegExp(`^HTTP/1.1 ${status} `))
        .and.match(/connection: close/i)
      expect(answer).to.include(`"code":${status}`)
      // What the sockets of both sides hold at most.
      expect(sent).to.be.lessThan(20 * MB)
    })
  }

  it('leaves the budget of large bodies as it was', async () => {
    for (let round = 0; round < sized(6, 2); round += 1) await upload({ path: '/file', headers: declared })
    const File = 'x'.repeat(50 * MB)
    expect(await gateway.post('/file', { File }, { admintoken: ADMIN })).to.include({ status: 200 })
  })

  it('does not cost the connection where it is small', async () => {
    const response = await fetch(`${gateway.url}/file`, { method: 'POST', body: 'x'.repeat(10_000) })
    expect(response.status).to.equal(401)
    expect(response.headers.get('connection')).to.equal('keep-alive')
  })
})
