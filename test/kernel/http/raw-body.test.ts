import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'

const uploads = definePlugin({
  name: 'uploads',
  version: '1.0.0',
  api: '^1.3.0',
  routes: (r) => [
    r.post('/upload/raw', {
      summary: 'Raw',
      access: 'public',
      upload: 'application/octet-stream',
      handle: async ({ bytes }) => ({ Hex: (await bytes(8)).toString('hex') }),
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

describe('bodies that a route reads by itself', () => {
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
})
