import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { TestSession } from '../../plugins/sandbox/testing/sessions.ts'
import { admin, sessionOf, startWorld, type World } from '../support/world.ts'

type Session = TestSession<Phone>
const unlinked: Session['phone'] = undefined as never

/** Connected: a client is active in memory. LoggedIn: the device is linked and authenticated. */
const INACTIVE = { Connected: false, LoggedIn: false }
const ACTIVE = { Connected: true, LoggedIn: false }
const IN = { Connected: true, LoggedIn: true }

interface Row {
  /** Brings the session of a new token, or of a linked phone, into the state. */
  begin(world: World, session: Session): Promise<unknown>
  isLinked?: boolean
  /** What `GET /session/status` answers; its error without a client. */
  status: Record<string, unknown> | string
  connect: 'Connected!' | 'Already Connected'
  disconnect: 200 | 409
  logout: 'Logged out' | 'No session' | 'not logged in'
}

const immediate = (session: Session) => session.post('/session/connect', { Immediate: true })
const refused = async (world: World, { phone }: Session, Code: number): Promise<void> => {
  world.fault({ Fault: 'failure', Phone: phone.account.phone, Code })
  world.fault({ Fault: 'drop', Phone: phone.account.phone })
}

/** Every state of a session that the interface shows, by name. */
const STATES: Readonly<Record<string, Row>> = {
  offline: {
    begin: async () => undefined,
    status: 'No session',
    connect: 'Connected!',
    disconnect: 409,
    logout: 'No session',
  },
  connecting: {
    async begin(world, session) {
      world.fault({ Fault: 'silent' })
      expect((await immediate(session)).data).to.include({ details: 'Connected!' })
    },
    status: ACTIVE,
    connect: 'Already Connected',
    disconnect: 200,
    logout: 'not logged in',
  },
  scan: {
    begin: (_, session) => session.post('/session/connect', { Immediate: false }),
    status: ACTIVE,
    connect: 'Already Connected',
    disconnect: 200,
    logout: 'not logged in',
  },
  code: {
    begin: async (world, session) =>
      session.post('/session/pair', { Phone: (await world.phone()).account.phone }),
    status: ACTIVE,
    connect: 'Already Connected',
    disconnect: 200,
    logout: 'not logged in',
  },
  passkey: {
    async begin(world, session) {
      world.fault({ Fault: 'passkeySilent' })
      const phone = await world.phone()
      await session.post('/session/connect', { Immediate: false })
      void phone.scan((await session.get('/session/qr')).data.QRCode).catch(() => undefined)
    },
    status: ACTIVE,
    connect: 'Already Connected',
    disconnect: 200,
    logout: 'not logged in',
  },
  open: {
    isLinked: true,
    begin: async () => undefined,
    status: IN,
    connect: 'Already Connected',
    disconnect: 200,
    logout: 'Logged out',
  },
  waiting: {
    isLinked: true,
    begin: (world, session) => refused(world, session, 503),
    status: ACTIVE,
    connect: 'Already Connected',
    disconnect: 200,
    logout: 'No session',
  },
  'logged-out': {
    isLinked: true,
    begin: (_, session) => session.post('/session/logout'),
    status: INACTIVE,
    connect: 'Connected!',
    disconnect: 200,
    logout: 'not logged in',
  },
  replaced: {
    isLinked: true,
    begin: async (world, { phone }) => world.fault({ Fault: 'replaced', Phone: phone.account.phone }),
    status: INACTIVE,
    connect: 'Connected!',
    disconnect: 200,
    logout: 'No session',
  },
  banned: {
    isLinked: true,
    begin: (world, session) => refused(world, session, 403),
    status: INACTIVE,
    connect: 'Connected!',
    disconnect: 200,
    logout: 'not logged in',
  },
  failed: {
    isLinked: true,
    begin: (world, session) => refused(world, session, 409),
    status: INACTIVE,
    connect: 'Connected!',
    disconnect: 200,
    logout: 'No session',
  },
}

describe('what the interface answers in each state of a session', function () {
  this.timeout(300_000)
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Fault: 'clear' }))

  async function inState(name: string, { begin, isLinked, status }: Row): Promise<Session> {
    const session = isLinked
      ? await world.linked(await world.phone())
      : sessionOf(
          world.gateway,
          String((await world.gateway.post('/session/init', {}, admin)).data.Token),
          unlinked,
        )
    await begin(world, session)
    if (typeof status !== 'string') await session.status({ State: name })
    return session
  }

  for (const [name, row] of Object.entries(STATES)) {
    it(`${name}: status`, async () => {
      const session = await inState(name, row)
      // One answer has both: a link that waits is soon tried again.
      if (typeof row.status !== 'string') return void (await session.status({ State: name, ...row.status }))
      expect(await session.get('/session/status')).to.include({ status: 409, error: row.status })
    })

    it(`${name}: connect, and once more`, async () => {
      const session = await inState(name, row)
      const first = await immediate(session)
      expect(first.data).to.include({ details: row.connect })
      const { data: status } = await session.get('/session/status')
      expect(status, 'a client is active').to.include({ Connected: true })
      // A link that the network still refuses may have ended again.
      if (!row.isLinked || row.connect === 'Already Connected')
        expect((await immediate(session)).data).to.include({ details: 'Already Connected' })
    })

    it(`${name}: disconnect`, async () => {
      const session = await inState(name, row)
      const answer = await session.post('/session/disconnect')
      if (row.disconnect === 409) expect(answer).to.include({ status: 409, error: 'No session' })
      else expect(answer.data).to.deep.equal({ Details: 'Disconnected' })
      expect(await session.get('/session/status')).to.include({ status: 409, error: 'No session' })
    })

    it(`${name}: logout`, async () => {
      const session = await inState(name, row)
      const answer = await session.post('/session/logout')
      if (row.logout === 'Logged out') expect(answer.data).to.deep.equal({ Details: 'Logged out' })
      else expect(answer).to.include({ status: 409, error: row.logout })
    })
  }
})
