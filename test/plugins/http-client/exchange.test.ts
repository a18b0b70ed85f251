import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createLog } from '../../../kernel/logging/log.ts'
import { createHttpClient, type HttpClient } from '../../../plugins/http-client/http-client.ts'

describe('a posted exchange', () => {
  let server: Server
  let url: string
  let answer: RequestListener
  let http: HttpClient
  before(async () => {
    server = createServer((request, response) => answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?query=1`
    const log = createLog({ level: 'silent' })
    http = createHttpClient({
      config: { httpsOnly: false },
      settings: { allowPrivateHosts: ['127.0.0.1'] },
      log,
    })
  })
  after(async () => {
    await http.close()
    server.closeAllConnections()
    server.close()
  })
  const post = (options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
    http.post(url, { body: '{"a":"é"}', headers: { 'x-a': 'b' }, timeoutMs: 5_000, ...options })
  const refusal = (posted: Promise<unknown>): Promise<string> =>
    posted.then(
      () => 'answered',
      (error: Error) => error.message,
    )

  it('sends the path, the headers and the body, and returns the first value of each header', async () => {
    const seen: unknown[] = []
    answer = (request, response) => {
      let body = ''
      request.setEncoding('utf8')
      request.on('data', (chunk: string) => {
        body += chunk
      })
      request.on('end', () => {
        seen.push(request.method, request.url, request.headers['x-a'], body)
        response.writeHead(202, { 'x-many': ['1', '2'], 'Retry-After': '7' }).end('ok')
      })
    }
    const { status, headers } = await post()
    expect(seen).to.deep.equal(['POST', '/path?query=1', 'b', '{"a":"é"}'])
    expect(status).to.equal(202)
    expect(headers).to.include({ 'x-many': '1', 'retry-after': '7' })
  })

  it('counts the status of an answer that is too long, or that breaks off', async () => {
    answer = (_, response) => void response.writeHead(201).end('x'.repeat(1_000_000))
    expect(await post()).to.include({ status: 201 })
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy())
    }
    expect(await post()).to.include({ status: 200 })
  })

  it('ends at the time limit, also while it waits for a connection', async () => {
    answer = () => undefined
    const all = Array.from({ length: 70 }, () => refusal(post({ timeoutMs: 300 })))
    expect(new Set(await Promise.all(all))).to.deep.equal(new Set(['no answer within 300 ms']))
    answer = (_, response) => void response.end()
    expect(await post()).to.include({ status: 200 })
  })

  it('is aborted by its signal, before and after it was sent', async () => {
    const abort = new AbortController()
    const { signal } = abort
    const sent = new Promise<void>((resolve) => {
      answer = () => resolve()
    })
    const all = [post({ signal }), post({ signal })].map(refusal)
    await sent
    abort.abort()
    for (const message of [...(await Promise.all(all)), await refusal(post({ signal }))])
      expect(message).to.include('AbortError')
    answer = (_, response) => void response.end()
    expect(await post()).to.include({ status: 200 })
  })
})
