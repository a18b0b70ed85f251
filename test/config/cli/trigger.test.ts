import { execFile } from 'node:child_process'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { type GatewayProcess, mainOf, startProcess } from '../../support/process.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin } from '../../support/sessions.ts'

describe('trigger on a gateway without the sandbox', function () {
  this.timeout(240_000)
  let gateway: GatewayProcess
  let main: Receiver
  let other: Receiver
  let token: string
  let endpoint: string

  before(async () => {
    ;[main, other] = [await startReceiver(), await startReceiver()]
    gateway = await startProcess({
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    })
    token = (await gateway.post('/session/init', { Name: 'shop' }, admin)).data.Token
    await gateway.post('/webhook', { WebhookURL: main.url }, { token })
    endpoint = (await gateway.post('/webhook/endpoints', { URL: other.url }, { token })).data.Id
  })
  after(async () => {
    await gateway.end('SIGTERM')
    await Promise.all([main.close(), other.close()])
  })

  function trigger(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const env = {
      PATH: process.env['PATH'] ?? '',
      WAMUX_PORT: new URL(gateway.url).port,
      WAMUX_ADMIN_TOKEN: admin.admintoken,
    }
    return new Promise((done) => {
      const command = [...mainOf(), 'trigger', ...args]
      execFile(process.execPath, command, { cwd: temporaryFolder(), env }, (error, out, err) => {
        done({ code: error ? Number(error.code) : 0, out, err })
      })
    })
  }

  it('sends a made event to the main webhook, and says what it answers', async () => {
    const { code, out, err } = await trigger('message.text', '--session', 'shop')
    expect(code, err).to.equal(0)
    expect(out).to.match(/^message\.text → main of shop, marked "test": true {2}✓ status 200 in \d+ ms\n$/)
    expect(main.deliveries.map(({ body }) => JSON.parse(body).test)).to.deep.equal([true])
    expect(other.deliveries).to.deep.equal([])
  })

  it('sends it to the chosen webhook, by a token too, and fails with what its receiver says', async () => {
    other.answer(() => ({ status: 422, body: 'unknown\n kind' }))
    const { code, out, err } = await trigger('group.joined', '--endpoint', endpoint, '--token', token)
    expect(code, err).to.equal(1)
    expect(err).to.equal('')
    expect(out).to.match(/✗ status 422 in \d+ ms: unknown kind\n$/)
    expect(main.deliveries).to.have.length(1)
  })

  it('refuses what a made event has not', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await trigger(...args)
      expect({ code, out }).to.deep.equal({ code: 1, out: '' })
      return err
    }
    expect(await refused('message.text', '--from', '4912345')).to.include(
      '--from names a phone of the sandbox',
    )
    expect(await refused('message.text', '--endpoint', 'ep_none')).to.include('ITEM_UNKNOWN')
    expect(await refused('message.smell')).to.include('no trigger "message.smell"')
  })
})
