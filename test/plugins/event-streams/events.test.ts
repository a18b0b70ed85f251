import { get, type IncomingMessage } from 'node:http'
import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import type { Writer } from '../../../kernel/db/writer.ts'
import { createEventLog } from '../../../kernel/events/log.ts'
import { asFunction, definePlugin, type Kernel } from '../../../kernel/plugin.ts'
import type { SessionVault } from '../../../kernel/vault/vault.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

type Ticker = Pick<Kernel<unknown>, 'events' | 'consumers' | 'db'>

declare module 'wamux/plugin' {
  interface GatewaySignals {
    tick: { text: string }
  }
  interface GatewayEvents {
    Tick: { event: { Text: string } }
  }
  interface GatewayServices {
    ticker: Ticker
  }
}

/** Makes events without a phone. */
const ticker = definePlugin({
  name: 'ticker',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['ticker'],
  services: () => ({
    ticker: asFunction(({ events, consumers, db }: Ticker) => ({ events, consumers, db })).singleton(),
  }),
  events: { Tick: { class: 'Message', summary: 'Tick' } },
  translate: {
    tick: ({ data }) => ({ events: [{ type: 'Tick', body: { event: { Text: data.text } } }] }),
  },
})

for (const engine of engines) {
  describe(`events on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let id: string
    let ana: Phone

    before(async () => {
      ;({ world, session, ana } = await openShop(
        { config: { 'event-streams': { heartbeatSeconds: 0.1 } }, extra: [ticker] },
        engine,
      ))
      id = (await session.get('/events')).data.Events[0].userID
    })
    after(() => world.stop())

    const tick = async (text: string): Promise<number> => {
      const [line] = await world.gateway.service('ticker').events.raise(id, 'tick', { text })
      return line?.seq ?? 0
    }
    const poll = (query: string) => session.get(`/events?${query}`)
    const open = (query: string, headers = {}) =>
      openStream(`${world.gateway.url}/events/stream?${query}`, { token: session.token, ...headers })

    it('returns events in order, page by page', async () => {
      const first = await tick('one')
      const second = await tick('two')
      const { data } = await poll(`after=${first - 1}&limit=1`)
      expect(data.Next).to.equal(first)
      expect(data.Events).to.have.length(1)
      expect(data.Events[0]).to.deep.include({ seq: first, type: 'Tick', event: { Text: 'one' } })
      expect(data.Events[0].eventId).to.match(/^evt_/)
      const next = await poll(`after=${data.Next}&class=Message`)
      expect(next.data.Events.map(({ seq }: { seq: number }) => seq)).to.deep.equal([second])
      expect((await poll(`after=${second}&class=Message`)).data).to.deep.equal({ Events: [], Next: second })
    })

    it('waits for the next event of the requested classes', async () => {
      const now = await tick('before')
      const message = poll(`after=${now}&wait=20&class=Message`)
      await world.gateway
        .service('ticker')
        .events.raise(id, 'session.passkey', { step: 'passkey', detail: 'of another class' })
      const sent = await ana.send(session.phone.account.phone, { Text: 'hello' })
      const { data } = await message
      expect(data.Events).to.have.length(1)
      expect(data.Events[0].event.Info).to.include({ ID: sent })
    })

    it('answers with an empty page when the wait times out', async () => {
      const now = await tick('last')
      expect((await poll(`after=${now}&wait=1&class=Nothing,Message`)).status).to.equal(400)
      expect((await poll(`after=${now}&wait=1&class=message`)).data).to.deep.equal({ Events: [], Next: now })
    })

    it('streams from any seq, and resumes after the last id', async () => {
      const before = await tick('old')
      await tick('missed')
      const stream = open(`after=${before}&class=Message`)
      await stream.until((text) => text.includes('missed'))
      const live = await tick('live')
      const text = await stream.until((text) => text.includes('"live"'))
      expect(text).not.to.include('"old"')
      expect(text).to.include(`id: ${live}\n`)
      stream.close()
      await tick('while away')
      const again = open('class=Message', { 'Last-Event-ID': String(live) })
      const more = await again.until((text) => text.includes('while away'))
      expect(more).not.to.include('"live"')
      again.close()
    })

    it('sends heartbeats, and begins with new events', async () => {
      await tick('not for late comers')
      const stream = open('')
      expect(await stream.until((text) => text.includes(': alive\n\n'))).not.to.include('late comers')
      stream.close()
    })

    it('applies backpressure of a slow client without losing events', async () => {
      const { events } = world.gateway.service('ticker')
      const read = events.after
      let loaded = 0
      events.after = async (...args) => {
        const page = await read(...args)
        loaded += page.length
        return page
      }
      const before = await tick('start')
      const stream = open(`after=${before}&class=Message`)
      await stream.until((text) => text.includes('retry'))
      stream.pause()
      // 20 MB, far more than sockets hold.
      const weight = 'x'.repeat(40_000)
      const seqs = await Promise.all(Array.from({ length: 500 }, (_, i) => tick(`${i} ${weight}`)))
      const newest = Math.max(...seqs)
      expect(loaded).to.be.lessThan(450)
      stream.resume()
      const text = await stream.until((text) => text.includes(`id: ${newest}\n`))
      events.after = read
      const seen = [...text.matchAll(/"Text":"(\d+) x/g)].map(([, number]) => Number(number))
      expect(seen).to.deep.equal(Array.from({ length: 500 }, (_, i) => i))
      stream.close()
    })

    it('reports deleted events and the oldest available one', async () => {
      const gone = await tick('gone')
      const kept = await tick('kept')
      await dropBefore(world, kept)
      const answer = await poll(`after=${gone - 1}`)
      expect(answer).to.include({ status: 410, success: false })
      expect(answer.error).to.include(`up to ${gone}`).and.to.include(`is ${kept}`)
      expect((await poll(`after=${gone}`)).data.Events[0].seq).to.equal(kept)
      expect((await poll('after=0')).data.Events[0].seq).to.equal(kept)
      const refused = await fetch(`${world.gateway.url}/events/stream?after=${gone - 1}`, {
        headers: session.headers,
      })
      expect(refused.status).to.equal(410)
    })

    it('refuses unknown classes and invalid cursors', async () => {
      expect((await poll('class=Nonsense')).error).to.include('Unknown event class Nonsense')
      expect((await poll('after=soon')).status).to.equal(400)
      expect((await world.gateway.get('/events', { token: 'nobody' })).status).to.equal(401)
    })
  })
}

/** What retention does every hour, now, up to that line. */
async function dropBefore({ gateway }: World, seq: number): Promise<void> {
  const { db, consumers } = gateway.service('ticker')
  const { logged } = await db.read('events').where({ seq }).first()
  await db.transact((trx) =>
    trx('events')
      .where('seq', '<', seq)
      .update({ logged: logged - 1 }),
  )
  const log = createEventLog(
    { read: db.read } as Database,
    { transact: db.transact } as Writer,
    new Map(),
    {} as SessionVault,
  )
  // It drops nothing that a consumer has not passed.
  for (const { name } of consumers.list())
    for (const session of await db.read('sessions').pluck('id')) await consumers.move(name, session, seq - 1)
  await log.prune(Number(logged))
}

interface Stream {
  /** Resolves with everything that came so far, once the end of it `matches`. */
  until(matches: (text: string) => boolean, ms?: number): Promise<string>
  pause(): void
  resume(): void
  close(): void
}

function openStream(url: string, headers: Record<string, string>): Stream {
  const chunks: string[] = []
  let response: IncomingMessage | undefined
  let check = (): void => undefined
  const request = get(url, { headers, agent: false }, (answer) => {
    response = answer.setEncoding('utf8')
    answer.on('error', () => undefined)
    answer.on('data', (chunk: string) => {
      chunks.push(chunk)
      check()
    })
  })
  request.on('error', () => undefined)
  return {
    until: (matches, ms = 20_000) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`no further chunk for ${ms} ms; ${chunks.length} came`)),
          ms,
        )
        check = () => {
          limit.refresh()
          if (!matches(chunks.slice(-5).join(''))) return
          clearTimeout(limit)
          resolve(chunks.join(''))
        }
        check()
      }),
    pause: () => void response?.pause(),
    resume: () => void response?.resume(),
    close: () => void request.destroy(),
  }
}
