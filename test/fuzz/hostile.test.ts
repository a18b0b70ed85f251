import { request } from 'node:http'
import { expect } from 'chai'
import { importPlugins } from '../../config/plugins.ts'
import type { Plugin, Route } from '../../kernel/plugin.ts'
import { createPhone, type TestPhone } from '../../plugins/sandbox/testing/phones.ts'
import { linkSession, type TestSession } from '../../plugins/sandbox/testing/sessions.ts'
import { leastCpu } from '../support/cpu.ts'
import { ADMIN, type TestGateway, testGateway } from '../support/gateway.ts'
import { isSweep } from '../support/run/whole.ts'
import { HARMLESS, HOSTILE, hostileText, type TextField, textFields, withField } from './hostile.ts'

const LENGTH = 60_000
/** The head of a request has 16 KiB, in which a character may take three. */
const IN_HEAD = 3_500
/** Milliseconds of CPU: the client's, the network's and the phones' too, which run in this process. */
const MOST_MS = 50
/** Bytes of an error with its headers, and characters of a line of the log: whatever a client has sent, little of it comes back. */
const MOST_SAID = 4_000
/** Plugins that only delay, or need a server of their own. */
const LEFT_OUT = new Set(['pacing', 'outputs'])
const HEADERS = [
  ...['token', 'authorization', 'admintoken', 'x-session', 'cookie', 'idempotency-key', 'prefer'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'host', 'origin', 'traceparent'],
  ...['accept', 'accept-language', 'accept-encoding', 'content-type', 'last-event-id', 'if-none-match'],
  ...['sec-websocket-protocol', 'sec-fetch-site', 'connection', 'x-wamux-hop', 'user-agent'],
]
const WITH_HEADERS = [
  'GET /session/status',
  'POST /send/text',
  'GET /dashboard',
  'GET /events/socket',
  'GET /link/:token',
]

interface Asked {
  readonly path: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

describe('texts that make a gateway work for long', function () {
  this.timeout(isSweep ? 3_600_000 : 600_000)
  let gateway: TestGateway
  let ana: TestPhone
  let session: TestSession
  let spare: TestSession
  let routes: Route[] = []
  const admin = { admintoken: ADMIN }
  const highest = { ms: 0, what: '' }
  const echoes: string[] = []

  before(async () => {
    const all = { profile: 'all', listed: { sandbox: true }, base: process.cwd(), env: {} } as const
    const plugins = (await importPlugins(all)).filter(
      ({ plugin }) => !LEFT_OUT.has((plugin as Plugin).spec.name),
    )
    // So that the addresses of clients are read from headers too.
    gateway = testGateway({ plugins, trustProxy: 1 })
    await gateway.start()
    routes = gateway.describe().plugins.flatMap((plugin) => plugin.routes)
    // The number that the examples of the routes have.
    ana = await createPhone(gateway, admin, { number: '5511999999999', name: 'Ana' })
    const link = async (name: string) => {
      const phone = await createPhone(gateway, admin, { name, business: true })
      return linkSession(gateway, admin, phone, { name, link: ({ token }) => phone.link(token) })
    }
    session = await link('Shop')
    spare = await link('Spare')
  })
  after(async () => {
    await gateway.stop()
    process.stdout.write(`    highest CPU of a request: ${highest.ms} ms, ${highest.what}\n`)
  })

  /** On a machine with other work the same takes longer, and what answers with much always does: so it is held against a harmless text of that length. */
  async function measured(
    what: string,
    kind: string,
    ask: (kind: string) => Promise<unknown>,
  ): Promise<string[]> {
    const ms = await leastCpu(MOST_MS, () => ask(kind))
    if (ms > highest.ms) Object.assign(highest, { ms, what: `${what}, ${kind}` })
    if (ms <= MOST_MS) return []
    const harmless = await leastCpu(0, () => ask(HARMLESS))
    return ms > 2 * harmless + MOST_MS / 2 ? [`${what}, ${kind}: ${ms} ms, ${harmless} with letters`] : []
  }

  const credentials = ({ path, spec }: Route): Record<string, string> => {
    if (spec.access === 'admin') return admin
    return path.startsWith('/session') ? spare.headers : session.headers
  }

  const pathOf = ({ path }: Route, param = '1'): string =>
    path.replace(/:version/, '22.0').replace(/:\w+/g, encodeURIComponent(param))

  /** Not by `fetch`, which corrects headers. */
  function send(route: Route, { path, body, headers = {} }: Asked): Promise<number> {
    const url = new URL(gateway.url + path)
    const isGet = route.method === 'GET'
    if (isGet)
      for (const [name, value] of Object.entries(body ?? {})) url.searchParams.set(name, String(value))
    return new Promise((resolve, reject) => {
      const asking = request(url, {
        method: route.method,
        headers: { 'content-type': 'application/json', ...credentials(route), ...headers },
        timeout: 20_000,
      })
      asking.once('error', reject)
      asking.once('timeout', () => asking.destroy(new Error(`${route.method} ${path.slice(0, 200)} hangs`)))
      asking.once('upgrade', (_, socket) => resolve(Number(socket.destroy().destroyed)))
      asking.once('response', (response) => {
        const status = response.statusCode ?? 0
        // A stream has no end.
        if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy()
        let bytes = JSON.stringify(response.headers).length
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.once('close', () => {
          if (status >= 400 && bytes > MOST_SAID)
            echoes.push(`${route.method} ${route.path} answers ${status} with ${bytes} bytes`)
          resolve(status)
        })
      })
      asking.end(isGet || !body ? undefined : JSON.stringify(body))
    })
  }

  /** The longest text that the field may have, and one that is too long for most. */
  const lengthsOf = ({ method }: Route, { most }: TextField): number[] => {
    const limit = method === 'GET' ? IN_HEAD : LENGTH
    return most < limit ? [most, limit] : [limit]
  }

  /** All texts in a sweep; else one, in turn, at every fourth place. */
  let turn = 0
  const kinds = (): readonly string[] => {
    if (isSweep) return HOSTILE
    turn += 1
    return turn % 4 === 0 ? [HOSTILE[(turn / 4) % HOSTILE.length] as string] : []
  }

  it('take little in any text of any body', async () => {
    const slow: string[] = []
    let fields = 0
    for (const route of routes) {
      const { body: schema, example } = route.spec
      for (const field of textFields(schema)) {
        fields += 1
        for (const kind of kinds())
          for (const length of lengthsOf(route, field)) {
            const what = `${route.method} ${route.path}, ${field.path} of ${length} characters`
            const isBehind = fields % 2 === 0
            const ask = (of: string): Promise<number> => {
              // Behind what the example has there, where it may have to begin so.
              const text = (given: string): string => {
                const start = isBehind ? given.slice(0, length) : ''
                return start + hostileText(of, length - start.length)
              }
              return send(route, { path: pathOf(route), body: withField(example, field.path, text) })
            }
            slow.push(...(await measured(what, kind, ask)))
          }
      }
    }
    expect(slow).to.deep.equal([])
    expect(fields).to.be.above(700)
  })

  it('take little in any parameter of a path, and in the query', async () => {
    const slow: string[] = []
    for (const route of routes) {
      const body = (route.spec.example ?? {}) as object
      for (const kind of kinds())
        for (const length of [256, IN_HEAD]) {
          const what = `${route.method} ${route.path} of ${length} characters`
          const inPath = (of: string) => send(route, { path: pathOf(route, hostileText(of, length)), body })
          if (route.path.includes(':')) slow.push(...(await measured(what, kind, inPath)))
          if (route.method !== 'GET') continue
          const inQuery = (of: string): Promise<number> => {
            const text = hostileText(of, length)
            const query = new URLSearchParams({ label: text, token: text, [text.slice(0, 256)]: '1' })
            return send(route, { path: `${pathOf(route)}?${query}` })
          }
          slow.push(...(await measured(`${what}, in the query`, kind, inQuery)))
        }
    }
    expect(slow).to.deep.equal([])
  })

  it('take little in any header', async () => {
    const slow: string[] = []
    const asked = routes.filter(({ method, path }) => WITH_HEADERS.includes(`${method} ${path}`))
    expect(asked).to.have.length(WITH_HEADERS.length)
    for (const route of asked)
      for (const name of HEADERS)
        for (const kind of kinds())
          for (const length of [250, 1_000, IN_HEAD, 12_000]) {
            const what = `${route.method} ${route.path}, header ${name} of ${length} characters`
            const body = route.spec.example as object
            const ask = (of: string): Promise<number> => {
              const value = hostileText(of, length).replace(/[\r\n]/g, ' ')
              return send(route, { path: pathOf(route), headers: { [name]: `${value}x` }, body })
            }
            slow.push(...(await measured(what, kind, ask)))
          }
    expect(slow).to.deep.equal([])
  })

  it('take little in messages of others', async () => {
    const slow: string[] = []
    const messages = (text: string): Record<string, Record<string, unknown>> => ({
      text: { conversation: text },
      preview: { extendedTextMessage: { text, matchedText: text, title: text, description: text } },
      contact: { contactMessage: { displayName: text, vcard: `BEGIN:VCARD\nTEL:${text}` } },
      place: { locationMessage: { degreesLatitude: 1, degreesLongitude: 1, name: text, address: text } },
      poll: {
        pollCreationMessage: { name: text, options: [{ optionName: text }], selectableOptionsCount: 1 },
      },
      mentions: {
        extendedTextMessage: { text: 'x', contextInfo: { mentionedJid: [text], participant: text } },
      },
    })
    let after = 0
    const next = async (wait: number): Promise<number> => {
      const { data } = await session.get(`/events?class=Message&after=${after}&wait=${wait}`)
      after = data.Next
      return data.Events.length
    }
    while ((await next(0)) > 0);
    for (const name of Object.keys(messages('')))
      for (const kind of kinds()) {
        const ask = async (of: string): Promise<void> => {
          await ana.send(session.phone.number, messages(hostileText(of, LENGTH))[name] ?? {})
          while ((await next(10)) === 0);
        }
        slow.push(...(await measured(`a message of kind ${name}`, kind, ask)))
      }
    expect(slow).to.deep.equal([])
  })

  it('have a bound in every address', () => {
    const addresses = routes.flatMap(({ method, path, spec }) =>
      textFields(spec.body)
        .filter((field) => /(url|link|uri|href)(\[\])?$/i.test(field.path))
        .map(({ path: name, most }) => ({ what: `${method} ${path} ${name}`, most })),
    )
    expect(addresses.length).to.be.above(10)
    // One may be the file itself, as a data URL; the client for outgoing requests refuses a longer link.
    const files = ['POST /send/carouselmedia Carousel[].media_url']
    const unbounded = addresses.filter(({ most }) => most > 8_192).map(({ what }) => what)
    expect(unbounded).to.deep.equal(files)
  })

  it('are not repeated by any error, nor in the log', () => {
    expect(echoes).to.deep.equal([])
    const long = gateway.lines.filter(({ length }) => length > MOST_SAID)
    expect(long.map((line) => line.slice(0, 300))).to.deep.equal([])
  })
})
