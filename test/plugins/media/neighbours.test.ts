import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { picture } from '../../support/picture.ts'
import { type GatewayProcess, startProcess } from '../../support/process.ts'
import { isWhole, sized } from '../../support/run/whole.ts'
import { hasFfmpeg, hasPoppler } from '../../support/samples.ts'
import { type FileServer, startFileServer } from '../../support/servers/file-server.ts'
import { type LinkedSession, linkPhone } from '../../support/sessions.ts'
import { hourOfSilence, manyBits, manyChunks, manyFrames, manyStrokes } from './attacks.ts'

/** Megabytes of this process's own memory, without its children. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

const p95 = (times: number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
/** Noise of a machine that runs other tests at the same time. Files in the process that serves cost ten times as much. */
const NOISE_MS = 300
const MEMORY_MB = 100
const BASELINE_SENDS = sized(60, 25)

interface Attack {
  readonly name: string
  readonly route: string
  readonly times: number
  /** Its error, or nothing where it is sent without what could not be made of it. */
  readonly answer: RegExp
  /** Of the file itself, which is in the gateway's memory. */
  readonly requestMb: number
  /** The file, the field that has it, and the other fields. */
  file(): Promise<{ bytes: Buffer; field: string } & Record<string, unknown>>
}

const ATTACKS: Attack[] = [
  {
    name: 'GIFs of 46 kB with 2,000 frames as stickers',
    route: '/send/sticker',
    times: 4,
    answer: /^415 Unsupported media in Sticker: it has 2000 frames, of which a sticker may have 244/,
    requestMb: 0,
    file: async () => ({ bytes: manyFrames(), field: 'Sticker' }),
  },
  {
    name: 'interlaced PNGs of 16 bits as pictures',
    route: '/send/image',
    times: 12,
    answer:
      /^415 Unsupported media in Image: it has 8000 by 8000 pixels of 16 bits .* make it smaller, or use 8/,
    requestMb: 0,
    file: async () => ({ bytes: await manyBits(), field: 'Image' }),
  },
  {
    name: 'a WebP of 5 million chunks as sticker of a pack',
    route: '/send/sticker',
    times: 1,
    answer: /^415 Unsupported media in Sticker: it has more than 4096 chunks/,
    requestMb: 40,
    file: async () => ({ bytes: await manyChunks(), field: 'Sticker', PackName: 'Pack' }),
  },
  {
    name: 'an hour of silence as voice message',
    route: '/send/audio',
    times: 3,
    answer: /^(200|415 Unsupported media in Audio: it takes too long: .*CONVERT_TIMEOUT_MS$)/,
    requestMb: 0,
    file: async () => ({ bytes: hourOfSilence(), field: 'Audio', Voice: true }),
  },
  {
    name: 'a PDF of 12 million strokes',
    route: '/send/document',
    times: 3,
    answer: /^200/,
    requestMb: 0,
    file: async () => ({ bytes: await manyStrokes(), field: 'Document', FileName: 'a.pdf' }),
  },
]

describe('files that cost much', () => {
  let loose: LooseNetwork
  let gateway: GatewayProcess
  let attacker: LinkedSession
  let neighbour: LinkedSession
  let ana: Phone
  let server: FileServer | undefined
  before(async function () {
    if (process.platform !== 'linux' || !(await hasFfmpeg) || !(await hasPoppler)) return this.skip()
    loose = await startNetwork()
    const env = {
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_BAILEYS_NETWORK: loose.card,
      WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    }
    gateway = await startProcess(env)
    const linked = async (name: string) => linkPhone(gateway, await loose.phones.create({ name }))
    attacker = await linked('Attacker')
    neighbour = await linked('Neighbour')
    ana = await loose.phones.create({ name: 'Ana' })
    // What is loaded with the first file is not of the attack.
    for (const { headers } of [attacker, neighbour])
      await send(headers, '/send/image', { Image: await picture() })
  })
  after(async () => {
    await gateway?.end('SIGTERM')
    await loose?.network.close()
    await server?.close()
  })

  async function send(headers: Record<string, string>, route: string, body: object): Promise<string> {
    const { status, error = '' } = await gateway.post(route, { Phone: ana.account.phone, ...body }, headers)
    return `${status} ${error}`.trim()
  }
  async function timed(): Promise<number> {
    const began = performance.now()
    expect(await send(neighbour.headers, '/send/text', { Body: 'good morning' })).to.equal('200')
    return performance.now() - began
  }

  /** Repeats the attack until it has lasted for long enough. */
  async function attacks(attack: Attack, body: object, isEnough: () => boolean): Promise<string[]> {
    const sends = Array.from({ length: attack.times }, () => send(attacker.headers, attack.route, body))
    const answers = await Promise.all(sends)
    return isEnough() ? answers : [...answers, ...(await attacks(attack, body, isEnough))]
  }
  /** Given as a link, so that the cost of the request's body is not measured. */
  async function serve(bytes: Buffer): Promise<string> {
    await server?.close()
    server = await startFileServer({ '/file': (response) => void response.end(bytes) })
    return `${server.url}/file`
  }

  for (const attack of isWhole ? ATTACKS : ATTACKS.slice(0, 1)) {
    it(`do not keep a neighbour waiting: ${attack.name}`, async () => {
      const { bytes, field, ...others } = await attack.file()
      const body = { ...others, [field]: await serve(bytes) }
      const baseline: number[] = []
      for (let sent = 0; sent < BASELINE_SENDS; sent += 1) baseline.push(await timed())
      const before = memoryOf(gateway.pid)
      let most = before
      const times: number[] = []
      let isOver = false
      const began = performance.now()
      const answers = attacks(attack, body, () => times.length >= BASELINE_SENDS).finally(() => {
        isOver = true
      })
      const watch = setInterval(() => {
        most = Math.max(most, memoryOf(gateway.pid))
      }, 20)
      while (!isOver) {
        times.push(await timed())
        expect((await gateway.get('/server/ready')).status, 'ready').to.equal(200)
      }
      clearInterval(watch)
      const seconds = ((performance.now() - began) / 1_000).toFixed(1)
      const figures = `${attack.name}: p95 ${p95(baseline).toFixed(0)} ms, in ${seconds} s of it ${p95(times).toFixed(0)} ms of ${times.length} sends; +${(most - before).toFixed(0)} MB`
      for (const answer of await answers) expect(answer, figures).to.match(attack.answer)
      expect(p95(times), figures).to.be.lessThan(2 * p95(baseline) + NOISE_MS)
      expect(most - before, figures).to.be.lessThan(MEMORY_MB + attack.requestMb)
      if (process.env['WAMUX_TEST_FIGURES']) process.stdout.write(`      ${figures}\n`)
    })
  }
})
