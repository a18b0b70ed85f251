import { expect } from 'chai'
import { createLog } from '../../../kernel/logging/log.ts'
import { createHttpClient, type HttpClient } from '../../../plugins/http-client/http-client.ts'
import { type FileServer, give, startFileServer } from '../../support/servers/file-server.ts'

describe('guarded download', () => {
  const log = createLog({ level: 'silent' })
  let server: FileServer
  let http: HttpClient
  before(async () => {
    server = await startFileServer({
      '/a': give(Buffer.from('hello').toString('base64'), 'text/plain'),
      '/moved': (response) => response.writeHead(302, { location: '/a' }).end(),
      '/around': (response) => response.writeHead(302, { location: '/around' }).end(),
      '/inward': (response) => response.writeHead(302, { location: 'http://[::1]:1/secret' }).end(),
      '/file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      '/unannounced': (response) => {
        response.writeHead(200)
        for (let index = 0; index < 20; index += 1) response.write(Buffer.alloc(100))
        response.end()
      },
      '/drip': (response) => {
        response.writeHead(200)
        const drops = setInterval(() => response.write('x'), 10)
        response.on('close', () => clearInterval(drops))
      },
      '/broken': (response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('x', () => response.destroy())
      },
    })
    http = createHttpClient({
      config: { httpsOnly: false },
      settings: { allowPrivateHosts: ['127.0.0.1'] },
      log,
    })
  })
  after(async () => {
    await http.close()
    await server.close()
  })
  const load = (path: string, maxBytes = 1000) =>
    http.download(server.url + path, { maxBytes, timeoutMs: 300 })
  const reason = (path: string, maxBytes?: number): Promise<string> =>
    load(path, maxBytes).then(
      () => 'it came',
      (error: Error) => error.message,
    )

  it('returns bytes and content type, also after redirects', async () => {
    for (const path of ['/a', '/moved']) {
      const { bytes, type } = await load(path)
      expect([bytes.toString(), type]).to.deep.equal(['hello', 'text/plain'])
    }
  })

  it('checks the target of a redirect', async () => {
    expect(await reason('/inward')).to.include('WAMUX_ALLOW_PRIVATE_HOSTS')
    expect(await reason('/file')).to.include('must be http or https')
  })

  it('aborts after too many redirects, bytes or milliseconds', async () => {
    expect(await reason('/around')).to.include('redirects')
    expect(await reason('/a', 4)).to.include('more than 4 bytes')
    expect(await reason('/unannounced')).to.include('more than 1000 bytes')
    expect(await reason('/drip')).to.include('timeout')
  })

  it('reports the status of the server', async () => {
    expect(await reason('/none')).to.include('404')
    expect(await reason('/broken')).not.to.equal('it came')
  })

  it('refuses plain http if only https is allowed', async () => {
    const strict = createHttpClient({
      config: { httpsOnly: true },
      settings: { allowPrivateHosts: ['127.0.0.1'] },
      log,
    })
    const refusal = await strict.download(`${server.url}/a`, { maxBytes: 9, timeoutMs: 300 }).catch(String)
    await strict.close()
    expect(refusal).to.include('must be https')
  })
})
