import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { AwsClient } from 'aws4fetch'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.ts'
import { isWhole, whole } from '../../support/run/whole.ts'
import { bytesOf, type OpenStore, openStore } from '../media-store/open-store.ts'
import { type BrokerServer, type Command, createServerOf } from '../outputs/servers.ts'

/** OpenStack Swift, whose S3 interface is a real one (Debian: python3-swift). @param secret of the access key, at its start */
const swift = (secret: () => string): Command => ({
  tool: '/usr/bin/python3',
  run: (port, folder) => [
    [new URL('s3-server.py', import.meta.url).pathname, String(port), folder, secret()],
  ],
})
const IS_INSTALLED = existsSync('/usr/lib/python3/dist-packages/swift') || isWhole

for (const encryption of ['wamux', 'none'] as const) {
  const suite = encryption === 'wamux' ? describe : whole.describe
  suite(`received files in S3, encrypted by ${encryption}`, () => {
    let server: BrokerServer
    let opened: OpenStore
    let client: AwsClient
    let secret = 'testing'
    const keys = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }
    before(async function () {
      if (!IS_INSTALLED) return this.skip()
      server = await createServerOf(swift(() => secret))
      await server.start()
      client = new AwsClient({ ...keys, region: 'us-east-1', service: 's3', retries: 0 })
      expect((await call('PUT', '')).status).to.equal(200)
      const endpoint = `http://127.0.0.1:${server.port}`
      const own = {
        endpoint,
        bucket: 'media',
        ...keys,
        encryption,
        partBytes: 5 * 1024 * 1024,
        timeoutMs: 3_000,
      }
      opened = await openStore({ 'media-store': { store: 's3' }, 'media-store-s3': own })
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

    whole.it('are stored once the service answers again', async () => {
      const before = await objects()
      server.pause()
      await opened.receive(Buffer.from('while it hangs'))
      await eventually(async () => (await opened.stateOf()).Behind[0]?.Error, 'time-out shown', {
        progress: () => Date.now(),
      })
      server.resume()
      await added(before)
    })

    whole.it('are stored once the service refuses them no more', async () => {
      const before = await objects()
      const restart = async (key: string): Promise<void> => {
        secret = key
        await server.kill()
        await server.start()
      }
      await restart('another')
      await opened.receive(Buffer.from('not allowed'))
      await eventually(async () => (await opened.stateOf()).Behind[0]?.Error.includes('403'), 'refusal shown')
      await restart('testing')
      await added(before)
    })
  })
}
