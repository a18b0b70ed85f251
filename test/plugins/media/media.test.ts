import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { addErrors, isGatewayError } from '../../../kernel/errors.ts'
import { createLog } from '../../../kernel/logging/log.ts'
import { createHttpClient, type HttpClient } from '../../../plugins/http-client/http-client.ts'
import { decodeMedia } from '../../../plugins/media/data-url.ts'
import { errors } from '../../../plugins/messaging/errors.ts'
import { type OpenMedia, openMedia } from '../../support/media.ts'
import { picture } from '../../support/picture.ts'
import { type FileServer, give, startFileServer } from '../../support/servers/file-server.ts'

// Otherwise added by a gateway.
addErrors(errors)

const config = { maxBytes: 1_000_000, maxPixels: 1_000_000 }

describe('media strings', () => {
  const media = openMedia(config)
  after(() => media.close())

  it('decodes data URLs and bare base64 without loss', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 500 }), async (bytes) => {
        const base64 = Buffer.from(bytes).toString('base64')
        expect((await decodeMedia('F', base64)).bytes.equals(bytes)).to.equal(true)
        const url = `data:image/x;name=a;base64,${base64}`
        const { bytes: same, declared } = await decodeMedia('F', url)
        expect(same.equals(bytes)).to.equal(true)
        expect(declared).to.equal('image/x;name=a')
      }),
    )
  })

  it('decodes long ones in parts, with and without line breaks, and refuses one wrong letter in any part', async () => {
    for (const size of [786_431, 786_432, 786_433, 2_500_000]) {
      const bytes = randomBytes(size)
      const base64 = bytes.toString('base64')
      const lines = base64.replace(/.{76}/g, '$&\r\n')
      for (const text of [base64, lines, bytes.toString('base64url')])
        expect((await decodeMedia('F', text)).bytes.equals(bytes)).to.equal(true)
      for (const at of [0, 1_048_575, base64.length - 5]) {
        const wrong = `${base64.slice(0, at)}*${base64.slice(at + 1)}`
        expect(await decodeMedia('F', wrong).catch((error: Error) => error.message)).to.match(
          /^Could not decode/,
        )
      }
    }
  })

  it('refuses any other text with an error that names the field', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        const { error } = await decodeMedia('Image', text).then(
          () => ({ error: undefined }),
          (error: Error) => ({ error }),
        )
        if (error) expect(isGatewayError(error) && error.message.includes('Image')).to.equal(true)
      }),
    )
  })

  it('detects the type by content, not by label', async () => {
    const mislabelled = (await picture()).replace('image/jpeg', 'application/pdf')
    expect(await media.image('Image', mislabelled)).to.include({ mime: 'image/jpeg', width: 64, height: 64 })
  })

  it('refuses files and pictures that are too large', async () => {
    const big = Buffer.alloc(1_000_001).toString('base64')
    const refusal = await media.file('Document', big).catch((error: Error) => error.message)
    expect(refusal).to.include('Document').and.include('1000001 bytes')
    const wide = await media.image('Image', await picture(10, 1100)).catch((error: Error) => error.message)
    expect(wide).to.equal(
      'Unsupported media in Image: it has 1100 by 1100 pixels, more than the 1000000 that are allowed: make it smaller',
    )
  })
})

describe('media from links', () => {
  let server: FileServer
  let http: HttpClient
  let linked: OpenMedia
  let jpeg: string
  before(async () => {
    jpeg = (await picture()).split(',')[1] ?? ''
    server = await startFileServer({
      '/a.jpg': give(jpeg, 'text/plain'),
      '/table': give(Buffer.from('a,b').toString('base64'), 'text/csv'),
      '/empty': give('', 'image/png'),
      '/big': give(Buffer.alloc(1_000_001).toString('base64'), 'image/png'),
      '/slow': () => undefined,
    })
    const log = createLog({ level: 'silent' })
    http = createHttpClient({
      config: { httpsOnly: false },
      settings: { allowPrivateHosts: ['127.0.0.1'] },
      log,
    })
    linked = openMedia(config, http)
  })
  after(async () => {
    await linked.close()
    await http.close()
    await server.close()
  })
  const refusal = (path: string): Promise<string> =>
    linked.file('Image', path.startsWith('http') ? path : server.url + path).then(
      () => 'taken',
      (error: Error) => `${(error as { status?: number }).status} ${error.message}`,
    )

  it('downloads a file, and detects its type by content', async () => {
    const { bytes, mime, width } = await linked.image('Image', `${server.url}/a.jpg`)
    expect({ mime, width, same: bytes.toString('base64') === jpeg }).to.deep.equal({
      mime: 'image/jpeg',
      width: 64,
      same: true,
    })
    expect(await linked.file('Document', `${server.url}/table`)).to.include({ mime: 'text/csv' })
  })

  it('names the field that could not be downloaded, and the reason', async () => {
    expect(await refusal('/none')).to.equal('400 Could not fetch Image: the server answered 404')
    expect(await refusal('/big'))
      .to.include('400 Could not fetch Image')
      .and.include('1000000 bytes')
    expect(await refusal('/slow'))
      .to.include('400 Could not fetch Image')
      .and.include('timeout')
    expect(await refusal('http://192.168.0.1/a'))
      .to.include('400 Could not fetch Image')
      .and.include('private')
    expect(await refusal('http://')).to.include('400 Could not fetch Image')
    expect(await refusal('/empty')).to.include('Unsupported media in Image')
  })

  it('names the plugin that links require', async () => {
    const refused = await openMedia().file('Image', 'https://example.com/a.png').catch(String)
    expect(refused).to.include('Invalid Image').and.include('"http-client"')
  })
})
