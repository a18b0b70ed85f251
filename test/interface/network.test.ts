import { expect } from 'chai'
import { table } from '../../config/build/documents/endpoints.ts'
import type { Answer } from '../support/calls.ts'
import { eventually } from '../support/eventually.ts'
import { isWhole } from '../support/run/whole.ts'
import { type Example, examplesOf, type Need } from './bodies.ts'
import { type Scene, startScene } from './scene.ts'

type Expected = Record<Need, { status: readonly number[]; error?: RegExp }>

interface Called {
  readonly name: string
  readonly needs: Need
  readonly ms: number
  readonly answer: Answer
}

interface Network {
  /** How long the gateway waits for it. */
  patienceMs?: number
  /** Only the whole run has it; tests of single routes have this too. */
  isLong?: boolean
  ail(scene: Scene): void
  /** What becomes of it once the requests are under way. */
  goesOn?(scene: Scene): Promise<void>
  readonly expected: Expected
}

/** The settings of an account are changed one after the other, so the last of them waits for all others. */
const LATEST_MS = 60_000
const TIMEOUT_MS = 1_000
/** For networks that answer all, and soon; with all routes at once on a busy machine a second may not be enough. */
const HEALTHY_MS = 15_000

const SUCCESS = { status: [200] }
/** No link, so nothing was sent. */
const NO_LINK = { status: [409], error: /^No session$/ }
const NO_LINKING = {
  status: [502],
  error: /^Failed to (Connect|pair|request a pairing code|get a QR code): /,
}
const SILENCE = { status: [504], error: /^WhatsApp did not answer in time$/ }
const REFUSAL = { status: [403], error: /^WhatsApp refused: / }

const HERE = { login: SUCCESS, nothing: SUCCESS }

/** What a network can be like, and what each kind of route answers then. */
const NETWORKS: Readonly<Record<string, Network>> = {
  'is switched off': {
    isLong: true,
    ail: ({ world }) => world.fault({ Fault: 'down' }),
    expected: { ...HERE, answer: NO_LINK, login: NO_LINK, linking: NO_LINKING },
  },
  'takes connections and says nothing': {
    isLong: true,
    ail: ({ world }) => world.fault({ Fault: 'silent' }),
    expected: { ...HERE, answer: SILENCE, linking: { status: [502, 504] } },
  },
  'goes away without an answer': {
    isLong: true,
    ail: ({ world }) => world.fault({ Fault: 'silent' }),
    async goesOn({ world }) {
      const before = world.counters()['stanzasIn'] ?? 0
      const asked = () => (world.counters()['stanzasIn'] ?? 0) - before
      await eventually(() => asked() > 50, 'asked', { progress: asked })
      world.fault({ Fault: 'down' })
    },
    // Who came later than the end of the link has sent nothing.
    expected: {
      answer: { status: [409, 502, 504] },
      linking: { status: [502, 504] },
      login: { status: [200, 409] },
      nothing: SUCCESS,
    },
  },
  'answers after the request has ended': {
    isLong: true,
    ail: (scene) => ofAll(scene, { Fault: 'delay', Ms: 3 * TIMEOUT_MS }),
    expected: { ...HERE, answer: SILENCE, linking: SUCCESS },
  },
  'refuses everything': {
    patienceMs: HEALTHY_MS,
    ail(scene) {
      ofAll(scene, { Fault: 'refuse', Code: 403 })
      ofAll(scene, { Fault: 'refuseQuery', Code: 403 })
      scene.world.fault({ Fault: 'badCertificate' })
    },
    expected: { ...HERE, answer: REFUSAL, linking: NO_LINKING },
  },
}

const tried = Object.entries(NETWORKS).filter(([, { isLong }]) => isWhole || !isLong)

describe('the interface on a network that', function () {
  this.timeout(300_000)
  const scenes: Scene[] = []
  const answers = new Map<string, Promise<Called[]>>()
  const start = async (patienceMs = TIMEOUT_MS): Promise<Scene> => {
    const baileys = { ackTimeoutMs: patienceMs, queryTimeoutMs: patienceMs }
    const scene = await startScene({ config: { baileys } })
    scenes.push(scene)
    return scene
  }
  before(async () => {
    // While one waits for its network, the next is made.
    for (const [name, { patienceMs, ail, goesOn }] of tried) {
      const scene = await start(patienceMs)
      ail(scene)
      const called = all(scene)
      answers.set(name, called)
      await goesOn?.(scene)
    }
  })
  after(() => Promise.all(scenes.map((scene) => scene.stop())))

  it('answers: every route of the interface has its request here, and each succeeds', async () => {
    const scene = await start(HEALTHY_MS)
    const examples = examplesOf(scene)
    const names = table.map(({ method, path }) => `${method} ${path}`)
    expect(Object.keys(examples).sort()).to.deep.equal(names.sort())
    await scene.begin()
    const called = []
    // One after the other: some undo what others do.
    for (const [name, example] of Object.entries(examples)) called.push(await call(scene, name, example))
    expect(wrong(called, { ...HERE, answer: SUCCESS, linking: SUCCESS })).to.deep.equal([])
  })

  for (const [name, { expected }] of tried) {
    it(`${name}: nothing that needs it succeeds, in time, and everything else does`, async () => {
      const called = (await answers.get(name)) ?? []
      expect(called).to.have.length(table.length)
      expect(wrong(called, expected)).to.deep.equal([])
    })
  }
})

/** All requests at once: what waits, waits at the same time. */
async function all(scene: Scene): Promise<Called[]> {
  await scene.begin()
  return Promise.all(Object.entries(examplesOf(scene)).map(([name, example]) => call(scene, name, example)))
}

async function call(scene: Scene, name: string, { needs, body, headers }: Example): Promise<Called> {
  const [method = '', path = ''] = name.split(' ')
  const began = performance.now()
  const answer = await scene.world.gateway.call(method, path, {
    body,
    headers: headers ?? scene.shop.headers,
  })
  return { name, needs, ms: Math.round(performance.now() - began), answer }
}

/** What did not answer as its need says, in words. */
function wrong(called: readonly Called[], expected: Expected): string[] {
  return called
    .filter(({ needs, ms, answer }) => {
      const { status, error = /^/ } = expected[needs]
      const isRight = status.includes(answer.status) && error.test(answer.error ?? '')
      return !isRight || answer.success !== (answer.status === 200) || ms > LATEST_MS
    })
    .map(({ name, needs, ms, answer: { status, error = '', details = '' } }) =>
      [`${name} (${needs}, ${ms} ms):`, status, error, details].join(' '),
    )
}

/** A fault of every account that is linked. */
function ofAll({ world, shop, spare }: Scene, fault: Record<string, unknown>): void {
  for (const { phone } of [shop, ...spare]) world.fault({ Phone: phone.account.phone, ...fault })
}
