import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import jsQR from 'jsqr'
import { TRIGGERS } from '../../../config/cli/remote/triggers.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, mainOf, startProcess } from '../../support/process.ts'
import { type ReceivedDelivery, type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin } from '../../support/sessions.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'
const ANA = '5511999999999'

/** The text of a QR code that is drawn with half blocks, light on dark. */
function read(lines: readonly string[]): string | undefined {
  const scale = 4
  const modules = lines.flatMap((line) => [
    [...line].map((block) => '▀█'.includes(block)),
    [...line].map((block) => '▄█'.includes(block)),
  ])
  const width = (modules[0]?.length ?? 0) * scale
  const height = modules.length * scale
  const pixels = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      pixels.fill(
        modules[Math.floor(y / scale)]?.[Math.floor(x / scale)] ? 255 : 0,
        (y * width + x) * 4,
        (y * width + x + 1) * 4,
      )
  return jsQR.default(pixels, width, height)?.data
}

describe('the commands that call a running gateway', function () {
  this.timeout(240_000)
  let gateway: GatewayProcess
  let cwd: string
  const children: ChildProcess[] = []

  const env = (more: Record<string, string> = {}) => ({
    PATH: process.env['PATH'] ?? '',
    ...{ WAMUX_PORT: String(new URL(gateway.url).port), WAMUX_ADMIN_TOKEN: admin.admintoken },
    ...more,
  })
  function wamux(args: readonly string[], more = {}): Promise<{ code: number; out: string; err: string }> {
    return new Promise((done) => {
      execFile(process.execPath, [...mainOf(), ...args], { cwd, env: env(more) }, (error, out, err) => {
        done({ code: error ? Number(error.code) : 0, out, err })
      })
    })
  }
  const listen = (args: readonly string[]) => run(['listen', ...args])
  function run(args: readonly string[]): { lines: string[]; end(): Promise<unknown> } {
    const child = spawn(process.execPath, [...mainOf(), ...args], { cwd, env: env() })
    children.push(child)
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
    const ended = new Promise((done) => child.once('exit', done))
    return {
      lines,
      end: () => {
        child.kill('SIGINT')
        return ended
      },
    }
  }
  const shows = (lines: string[], part: string): Promise<string> =>
    eventually(() => lines.find((line) => line.includes(part)), `a line with ${part}`)

  before(async () => {
    cwd = temporaryFolder()
    gateway = await startProcess({ WAMUX_DATA_DIR: cwd, LOG_LEVEL: 'info' }, 'sandbox')
    await eventually(() => gateway.lines.some((line) => line.includes('is linked to the phone')), 'the seed')
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await gateway.end('SIGTERM')
  })

  describe('listen', () => {
    let local: Receiver
    let remote: Receiver
    before(async () => {
      ;[local, remote] = [await startReceiver(), await startReceiver()]
    })
    after(async () => {
      await local.close()
      await remote.close()
    })

    it('posts each event as a webhook receives it, with the same headers, body and signature', async () => {
      const [demo] = (await gateway.get('/session/all', admin)).data
      const token = { token: demo.Token }
      const { data } = await gateway.post('/webhook', { WebhookURL: remote.url }, token)
      const { lines, end } = listen(['--forward-to', local.url, '--secret', data.Secret])
      await shows(lines, 'Listening to demo')
      expect((await wamux(['trigger', 'message.text'])).out).to.include('demo gets the event Message')
      const said = ({ body }: ReceivedDelivery): boolean => body.includes('Hello from wamux trigger')
      const [here, there] = [await local.wait(said), await remote.wait(said)]
      expect(here.body).to.equal(there.body)
      const { 'webhook-timestamp': at, 'webhook-signature': signature } = here.headers
      expect(at).to.match(/^\d+$/)
      expect(signature).to.match(/^v1,/)
      const timed = ['webhook-timestamp', 'x-webhook-timestamp', 'webhook-signature', 'host', 'connection']
      const lasting = (headers: ReceivedDelivery['headers']) =>
        Object.fromEntries(
          Object.entries(headers).filter(([name]) => !timed.includes(name) && !/^(accept|sec-)/.test(name)),
        )
      expect(lasting(here.headers)).to.deep.equal(lasting(there.headers))
      await shows(lines, '✓ 200')
      await end()
      expect(lines.at(-1)).to.match(/--since \d+$/)
      await gateway.post('/webhook', { WebhookURL: '' }, token)
    })

    it('goes on after the event that it ended at, and forwards the chosen types in the chosen format', async () => {
      const first = listen(['--filter', 'types=Message'])
      await shows(first.lines, 'Listening')
      await wamux(['trigger', 'message.reply'])
      await shows(first.lines, 'I meant this one')
      await first.end()
      const since = /\d+$/.exec(first.lines.at(-1) ?? '')?.[0] ?? ''
      await wamux(['trigger', 'presence.typing'])
      await wamux(['trigger', 'message.location'])
      const second = listen([
        ...['--since', since, '--filter', 'types=Message', '--forward-to', local.url],
        ...['--format', 'form', '--secret', SECRET],
      ])
      const { body, headers } = await local.wait(({ body }) => body.startsWith('jsonData='))
      expect(headers['content-type']).to.equal('application/x-www-form-urlencoded')
      expect(decodeURIComponent(body)).to.include('"type":"location"')
      await second.end()
      expect(second.lines.filter((line) => line.includes('ChatPresence'))).to.deep.equal([])
      expect(second.lines.filter((line) => line.includes('I meant'))).to.deep.equal([])
    })

    it('says what a receiver answers, and that none is there', async () => {
      local.answer(() => ({ status: 503 }))
      const { lines, end } = listen(['--forward-to', local.url])
      const absent = listen(['--forward-to', 'http://127.0.0.1:9/hook'])
      await shows(lines, 'Listening')
      await shows(absent.lines, 'Listening')
      await shows(lines, 'Secret of the signatures: whsec_')
      await wamux(['trigger', 'message.text'])
      await shows(lines, '✗ 503')
      await shows(absent.lines, '✗')
      await Promise.all([end(), absent.end()])
    })
  })

  it('trigger leads to the event that it names, each of them', async () => {
    const { lines, end } = listen([])
    await shows(lines, 'Listening')
    await gateway.post('/send/text', { Phone: ANA, Body: 'to be read' }, { token: await demoToken() })
    const { out } = await wamux(['trigger'])
    const listed = out.trim().split('\n')
    expect(listed).to.have.length(Object.keys(TRIGGERS).length)
    for (const [name, { event }] of Object.entries(TRIGGERS)) {
      const from = lines.length
      const { code, err } = await wamux(['trigger', name, '--session', 'demo', '--from', ANA])
      expect(code, `${name}: ${err}`).to.equal(0)
      await eventually(
        () => lines.slice(from).some((line) => line.split(/\s{2,}/)[1] === event),
        `${event} after ${name}`,
      )
    }
    await end()
  })

  const demoToken = async (): Promise<string> => (await gateway.get('/session/all', admin)).data[0].Token

  it('send sends once under its id', async () => {
    const sent = await wamux(['send', ANA, 'from the terminal', '--id', '3EB0AABBCCDDEEFF001122'])
    expect(sent).to.deep.equal({ code: 0, out: 'Sent: 3EB0AABBCCDDEEFF001122\n', err: '' })
    expect(await wamux(['send', ANA, 'from the terminal', '--id', '3EB0AABBCCDDEEFF001122'])).to.deep.equal(
      sent,
    )
    const { data } = await gateway.get(`/sandbox/phones/${ANA}/messages`, admin)
    const got = data.Messages.filter(({ ID }: { ID: string }) => ID === '3EB0AABBCCDDEEFF001122')
    expect(got).to.have.length(1)
  })

  it('qr draws the code until it is scanned', async () => {
    const { data } = await gateway.post('/session/init', { Name: 'second' }, admin)
    const { data: made } = await gateway.post('/sandbox/phones', { Name: 'Second' }, admin)
    const child = spawn(process.execPath, [...mainOf(), 'qr', 'second'], { cwd, env: env() })
    children.push(child)
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    const ended = new Promise((done) => child.once('exit', done))
    await shows(lines, 'Scan it with WhatsApp')
    const drawn = lines.slice(
      0,
      lines.findIndex((line) => line.includes('Scan it')),
    )
    expect(read(drawn)).to.match(/^https:\/\/wa\.me\/|,/)
    const scan = `/sandbox/phones/${made.Phone}/scan`
    expect((await gateway.post(scan, { Token: data.Token }, admin)).status).to.equal(200)
    expect(await ended).to.equal(0)
    expect(lines.at(-1)).to.include(`second is linked to ${made.Phone}`)
    await gateway.post('/session/delete', { Token: data.Token }, admin)
  })

  it('logs shows the requests that failed, and those that follow', async () => {
    const token = await demoToken()
    /** Resolves with its request id. */
    const refused = async (after = ''): Promise<string> => {
      await gateway.post('/send/text', { Phone: 'nobody', Body: 'x' }, { token })
      return eventually(async () => {
        const { data } = await gateway.get('/session/requests?limit=1', { token })
        return data.Requests[0]?.Id !== after && data.Requests[0]?.Id
      }, 'the request')
    }
    const id = await refused()
    const { out } = await wamux(['logs', '--request', id])
    expect(out).to.match(
      /^[-\d]{10} [:\d]{8} {2}POST \/send\/text {2}✗ 400 PHONE_INVALID in \d+ ms {2}[\w-]{12} {2}[\w-]{36}\n$/,
    )
    expect(out).to.include(id)
    expect((await wamux(['logs', '--request', id, '--code', 'TOKEN_INVALID'])).out).to.equal('')
    const { lines, end } = run(['logs', '--follow', '--code', 'PHONE_INVALID'])
    await shows(lines, id)
    await shows(lines, await refused(id))
    expect(lines.filter((line) => line.includes(id))).to.have.length(1)
    await end()
  })

  it('say in one line what is wrong', async () => {
    const refused = async (args: string[], more = {}): Promise<string> => {
      const { code, out, err } = await wamux(args, more)
      expect({ code, out }).to.deep.equal({ code: 1, out: '' })
      expect(err.trim().split('\n')).to.have.length(1)
      return err
    }
    expect(await refused(['trigger', 'message.smell'])).to.include('no trigger "message.smell"')
    expect(await refused(['trigger', 'message.text', '--session', 'shop'])).to.include('there are: demo')
    expect(await refused(['trigger', 'message.text', '--from', '4912345'])).to.include(
      'no other phone 4912345',
    )
    expect(await refused(['send', '12', 'x'])).to.include('PHONE_INVALID')
    expect(await refused(['send', ANA, 'x'], { WAMUX_PORT: '9' })).to.include('no gateway answers at')
    expect(await refused(['listen', '--token', 'nonsense-token-of-nobody'])).to.include('TOKEN_INVALID')
    const bare = { WAMUX_ADMIN_TOKEN: '', WAMUX_DATA_DIR: temporaryFolder() }
    expect(await refused(['send', ANA, 'x'], bare)).to.include('no admin token is configured')
  })
})
