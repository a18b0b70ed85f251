import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import { eventually } from '../../support/eventually.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'

const MB = 1024 * 1024
/** Of all large bodies together, without one byte. */
const BUDGET = 256 * MB - 1
/** How many large bodies a handler reads at present. */
let reading = 0

const readLarge = async (read: (limit: number) => Promise<unknown>): Promise<object> => {
  reading += 1
  try {
    await read(BUDGET)
  } finally {
    reading -= 1
  }
  return {}
}

const uploads = definePlugin({
  name: 'uploads',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/upload/raw', {
      summary: 'Raw',
      access: 'public',
      upload: 'application/octet-stream',
      handle: async ({ bytes }) => ({ Hex: (await bytes(8)).toString('hex') }),
    }),
    r.post('/upload/large-raw', {
      summary: 'A large raw body',
      access: 'public',
      upload: 'application/octet-stream',
      handle: ({ bytes }) => readLarge(bytes),
    }),
    r.post('/upload/large-form', {
      summary: 'A large form',
      access: 'public',
      upload: 'multipart/form-data',
      handle: ({ form }) => readLarge(form),
    }),
    r.post('/upload/form', {
      summary: 'Form',
      access: 'public',
      upload: 'multipart/form-data',
      async handle({ form }) {
        const fields = await form(1_000)
        const file = fields.get('file')
        return {
          Title: fields.get('title'),
          File: file instanceof File ? [file.name, await file.text()] : null,
        }
      },
    }),
  ],
})

describe('bodies that a route reads on its own', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: uploads }] })
  })
  after(() => gateway.stop())
  const post = async (
    path: string,
    body: string | Buffer | FormData,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(gateway.url + path, { method: 'POST', body, headers })
    return (await response.json()) as { code: number; data: object; errorCode?: string }
  }

  it('are given as they came, up to the limit of the route', async () => {
    expect((await post('/upload/raw', Buffer.from([0, 255, 10]))).data).to.deep.equal({ Hex: '00ff0a' })
    const large = await post('/upload/raw', Buffer.alloc(9))
    expect(large).to.include({ code: 413, errorCode: 'BODY_TOO_LARGE' })
  })

  it('are given as fields and files of a form', async () => {
    const body = new FormData()
    body.set('title', 'Ana')
    body.set('file', new File(['hello'], 'a.txt', { type: 'text/plain' }))
    expect((await post('/upload/form', body)).data).to.deep.equal({ Title: 'Ana', File: ['a.txt', 'hello'] })
    body.set('file', new File(['x'.repeat(2_000)], 'b.txt'))
    expect(await post('/upload/form', body)).to.include({ code: 413 })
    const broken = await post('/upload/form', 'no form', {
      'content-type': 'multipart/form-data; boundary=x',
    })
    expect(broken).to.include({ code: 400, errorCode: 'BODY_UNREADABLE' })
  })

  for (const path of ['/upload/large-raw', '/upload/large-form']) {
    it(`count against the budget of large bodies until they are handled: ${path}`, async () => {
      const { port, hostname } = new URL(gateway.url)
      const form = 'multipart/form-data; boundary=x'
      const socket = connect(Number(port), hostname)
      const closed = once(socket, 'close')
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${form}\r\nContent-Length: ${BUDGET}\r\n\r\n`,
      )
      await eventually(() => reading === 1, 'the first one is being read')
      const file = Buffer.from(
        `--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n${'a'.repeat(2 * MB)}\r\n--x--`,
      )
      const second = () => post(path, file, { 'content-type': form })
      expect(await second()).to.include({ code: 503, errorCode: 'BUSY' })
      expect((await post('/upload/raw', 'small')).code).to.equal(200)
      socket.destroy()
      await closed
      await eventually(() => reading === 0, 'the first one is over')
      expect(await second()).to.include({ code: 200 })
    })
  }
})
