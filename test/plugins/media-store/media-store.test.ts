import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { expect } from 'chai'
import mediaStore from '../../../plugins/media-store/index.ts'
import mediaStoreS3 from '../../../plugins/media-store-s3/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'
import { type BrokerServer, type Command, createServerOf } from '../outputs/servers.ts'

/** OpenStack Swift, whose S3 interface is a real one (Debian: python3-swift). */
const SWIFT: Command = {
  tool: '/usr/bin/python3',
  run: (port, folder) => [[new URL('s3-server.py', import.meta.url).pathname, String(port), folder]],
}
const IS_INSTALLED =
  existsSync('/usr/lib/python3/dist-packages/swift') || process.env['WAMUX_TEST_ALL'] === 'yes'

interface Stored {
  readonly url: string
  readonly seq: number
}

/** What the tests of both stores need. */
async function open(config: Record<string, Record<string, unknown>>) {
  const extra = config['media-store-s3'] ? [mediaStore, mediaStoreS3] : [mediaStore]
  const { world, session, ana } = await openShop({ extra, config })
  return {
    world,
    session,
    ana,
    /** Sends a file to the session; resolves with the link in its event. */
    async receive(bytes: Buffer): Promise<Stored> {
      const document = `data:application/octet-stream;base64,${bytes.toString('base64')}`
      const id = await send(ana, session, document)
      const event = await eventually(async () => {
        const { Events } = (await session.get('/events?limit=500&class=Message')).data
        return (Events as Logged[]).find((one) => one.event.Info.ID === id)
      }, 'message logged')
      return { url: event.mediaUrl, seq: event.seq }
    },
    download: async (url: string, redirect: RequestRedirect = 'follow') =>
      fetch(new URL(url, world.gateway.url), { redirect }),
    stateOf: async () =>
      (await world.gateway.get('/server/consumers', admin)).data.Consumers.find(
        ({ Name }: { Name: string }) => Name === 'media-store',
      ),
  }
}

interface Logged {
  readonly seq: number
  readonly mediaUrl: string
  readonly event: { readonly Info: { readonly ID: string } }
}

const send = (ana: Phone, { phone }: LinkedSession, document: string): Promise<string> =>
  ana.send(phone.account.phone, { Message: { document, fileName: 'file.bin' } })

type Opened = Awaited<ReturnType<typeof open>>

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())

describe('received files in a folder', () => {
  const folder = temporaryFolder()
  let opened: Opened
  let world: World
  before(async () => {
    opened = await open({ 'media-store': { folder, pruneSeconds: 0.05 } })
    ;({ world } = opened)
  })
  after(() => world.stop())

  const filesOf = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  const secret = Buffer.alloc(200_000, 'a secret that must not be on the disk ')

  it('are stored encrypted as they arrive, and read by the link after the network has dropped them', async () => {
    const { url } = await opened.receive(secret)
    await eventually(() => filesOf().some((path) => !path.endsWith('.part')), 'stored')
    const [path = ''] = filesOf()
    const stored = readFileSync(path)
    expect(stored.length).to.be.within(secret.length + 1, secret.length + 200)
    expect(stored.includes('a secret')).to.equal(false)
    await eventually(async () => (await opened.stateOf()).Lag === 0, 'handled')
    world.fault({ Fault: 'mediaDown' })
    const answer = await opened.download(url)
    world.fault({ Fault: 'clear' })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-disposition')).to.match(/^attachment; filename="\w+\.bin"$/)
    expect((await bytesOf(answer)).equals(secret)).to.equal(true)
  })

  it('refuse a link that was changed, or has expired', async () => {
    const { url, seq } = await opened.receive(Buffer.from('short'))
    const [, expires = ''] = /expires=(\d+)/.exec(url) ?? []
    const others = [
      url.replace(`expires=${expires}`, `expires=${Number(expires) + 1}`),
      url.replace(`expires=${expires}`, 'expires=1'),
      url.replace(`/${seq}?`, `/${seq - 1}?`),
      `/media-store/${seq}`,
      '/media-store/none?expires=9999999999999&signature=x',
    ]
    for (const other of others)
      expect(await world.gateway.get(other), other).to.include({ status: 403, errorCode: 'LINK_INVALID' })
  })

  it('break off the download of a file that was changed on the disk', async () => {
    const before = new Set(filesOf())
    const { url } = await opened.receive(secret)
    const path = await eventually(() => filesOf().find((one) => !before.has(one) && !one.endsWith('.part')), 'stored')
    await eventually(async () => (await opened.stateOf()).Lag === 0, 'handled')
    const stored = readFileSync(path)
    stored[150_000] = (stored[150_000] as number) ^ 1
    writeFileSync(path, stored)
    const outcome = await opened
      .download(url)
      .then(bytesOf)
      .catch(() => 'broken off')
    expect(outcome).to.equal('broken off')
  })

  it('wait while the network does not give the file, and are stored then', async () => {
    const before = new Set(filesOf())
    world.fault({ Fault: 'mediaDown' })
    await opened.receive(Buffer.from('later'))
    await eventually(async () => (await opened.stateOf()).Lanes[0]?.Failures, 'tried')
    world.fault({ Fault: 'clear' })
    await eventually(() => filesOf().some((path) => !before.has(path)), 'stored', { progress: () => Date.now() })
  })

  it('go with their session', async () => {
    expect(filesOf()).not.to.have.length(0)
    await world.gateway.post('/session/delete', { Token: opened.session.token }, admin)
    await eventually(() => filesOf().length === 0, 'deleted')
  })
})

describe('received files after their time', () => {
  it('are deleted', async () => {
    const folder = temporaryFolder()
    const { world, receive, stateOf } = await open({
      'media-store': { folder, pruneSeconds: 0.05, keepDays: 1 / 86_400 },
    })
    const count = (): number =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
    await receive(Buffer.from('old soon'))
    await eventually(() => count() === 1, 'stored')
    await eventually(async () => (await stateOf()).Lag === 0, 'handled')
    await eventually(() => count() === 0, 'deleted')
    await world.stop()
  })
})

for (const encryption of ['wamux', 'none'] as const) {
  describe(`received files in S3, encrypted by ${encryption}`, () => {
    let server: BrokerServer
    let opened: Opened
    let client: AwsClient
    const keys = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }
    before(async function () {
      if (!IS_INSTALLED) return this.skip()
      server = await createServerOf(SWIFT)
      await server.start()
      client = new AwsClient({ ...keys, region: 'us-east-1', service: 's3', retries: 0 })
      expect((await call('PUT', '')).status).to.equal(200)
      const endpoint = `http://127.0.0.1:${server.port}`
      const own = { endpoint, bucket: 'media', ...keys, encryption, partBytes: 5 * 1024 * 1024, timeoutMs: 3_000 }
      opened = await open({ 'media-store': { store: 's3' }, 'media-store-s3': own })
    })
    after(async () => {
      await opened?.world.stop()
      await server?.kill()
    })

    const call = (method: string, path: string): Promise<Response> =>
      client.fetch(`http://127.0.0.1:${server.port}/media${path}`, {
        method,
        headers: { 'x-amz-content-sha256': createHash('sha256').digest('hex') },
      })
    const objects = async (): Promise<string[]> => {
      const text = await (await call('GET', '?list-type=2')).text()
      return [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key)
    }
    /** Waits for one more object; resolves with its bytes. */
    const added = async (before: readonly string[]): Promise<Buffer> => {
      const key = await eventually(
        async () => (await objects()).find((one) => !before.includes(one)),
        'object stored',
        { progress: () => Date.now() },
      )
      return bytesOf(await call('GET', `/${key}`))
    }

    it('are uploaded part by part, and downloaded by the link', async () => {
      const large = Buffer.alloc(6 * 1024 * 1024, 'a large file ')
      const before = await objects()
      const { url } = await opened.receive(large)
      const stored = await added(before)
      expect(stored.includes('a large file')).to.equal(encryption === 'none')
      await eventually(async () => (await opened.stateOf()).Lag === 0, 'handled')
      opened.world.fault({ Fault: 'mediaDown' })
      const answer = await opened.download(url, 'manual')
      expect(answer.status).to.equal(encryption === 'none' ? 302 : 200)
      expect((await bytesOf(await opened.download(url))).equals(large)).to.equal(true)
      opened.world.fault({ Fault: 'clear' })
    })

    if (encryption === 'none') return

    it('are stored once the service is back, and had by the link meanwhile', async () => {
      const before = await objects()
      await server.kill()
      const { url } = await opened.receive(Buffer.from('while it is down'))
      await eventually(async () => (await opened.stateOf()).Lag > 0, 'waiting')
      expect(String(await bytesOf(await opened.download(url)))).to.equal('while it is down')
      await server.start()
      await added(before)
      await eventually(async () => (await opened.stateOf()).Lag === 0, 'handled')
    })

    it('are stored once the service answers again', async () => {
      const before = await objects()
      server.pause()
      await opened.receive(Buffer.from('while it hangs'))
      await eventually(async () => (await opened.stateOf()).Lanes[0]?.Error, 'time-out shown', {
        progress: () => Date.now(),
      })
      server.resume()
      await added(before)
    })

    it('are stored once the service refuses them no more', async () => {
      for (const key of await objects()) await call('DELETE', `/${key}`)
      expect((await call('DELETE', '')).status).to.equal(204)
      await opened.receive(Buffer.from('no bucket'))
      await eventually(async () => (await opened.stateOf()).Lanes[0]?.Error.includes('404'), 'refusal shown')
      expect((await call('PUT', '')).status).to.equal(200)
      await added([])
    })
  })
}
