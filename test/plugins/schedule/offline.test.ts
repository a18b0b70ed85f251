import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import schedule from '../../../plugins/schedule/index.ts'
import { everyEngine } from '../../support/databases.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()
/** Seconds that a message may be late, of a gateway that does not wait long. */
const LATE_SECONDS = 3

for (const engine of everyEngine) {
  describe(`a message that is due while its session is off-line, ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let told: Events

    const open = async (lateHours: number): Promise<void> => {
      const config = { schedule: { lateHours } }
      ;({ world, session, ana } = await openShop({ extra: [schedule], config }, engine))
      told = await eventsOf(session)
    }
    afterEach(async () => {
      await told.close()
      await world.stop()
    })

    const text = async (from: LinkedSession, Body: string, time: object = {}) => {
      const answer = await from.post('/send/text', { Phone: ana.account.phone, Body, ...time })
      expect(answer.status, answer.error).to.be.oneOf([200, 202])
      return answer.data
    }
    const texts = (): (string | null | undefined)[] =>
      ana.messages().map(({ raw }) => raw.extendedTextMessage?.text)
    const jobsLeft = async () => {
      const { data } = await world.gateway.get('/server/jobs', admin)
      return data.Queues.find(({ Name }: { Name: string }) => Name === 'schedule.due')
    }

    it('is sent once, when the session is back', async () => {
      await open(24)
      const online = await world.linked(await world.phone('Always online'))
      const { Id } = await text(session, 'late', { SendAt: inMs(1_500) })
      await session.post('/session/disconnect')
      // A little later in the same queue: the first one has been due before.
      const next = await text(online, 'of the other session', { SendAt: inMs(2_000) })
      await ana.wait(({ id }) => id === next.Id)
      expect(texts()).to.not.include('late')
      const { Scheduled } = (await session.get('/schedule')).data
      expect(Scheduled[0]).to.include({ Id, State: 'waiting' })

      await session.post('/session/connect')
      const got = await ana.wait(({ id }) => id === Id)
      expect(got.raw.extendedTextMessage?.text).to.equal('late')
      await told.wait('ScheduleSent', (event) => event.Id === Id)
      await eventually(async () => (await jobsLeft()).Waiting === 0, 'no job left')
      expect(await jobsLeft()).to.include({ DeadLetters: 0 })
      expect(texts().filter((one) => one === 'late')).to.have.length(1)
      expect(ana.failures).to.deep.equal([])
    })

    it('keeps its place among those of its chat, by their times', async () => {
      await open(24)
      const bob = await world.phone('Bob')
      const online = await world.linked(await world.phone('Always online'))
      const order = [7, 2, 8, 3, 9, 1, 5, 0, 6, 4]
      const begin = Date.now() + 1_500
      const at = (place: number): string => new Date(begin + place * 250).toISOString()
      for (const place of order) {
        await text(session, `${place}`, { SendAt: at(place) })
        const other = { Phone: bob.account.phone, Body: `Bob ${place}`, SendAt: at(place) }
        expect(await session.post('/send/text', other)).to.include({ status: 202 })
      }
      await session.post('/session/disconnect')
      // All of them have been due, and have looked for their session at different times.
      const last = await text(online, 'of the other session', { SendAt: at(16) })
      await ana.wait(({ id }) => id === last.Id)
      const missing = () => order.filter((place) => !texts().includes(`${place}`))
      expect(missing()).to.have.length(order.length)

      await session.post('/session/connect')
      await eventually(async () => (await jobsLeft()).Waiting === 0, 'no job left', { progress: missing })
      await eventually(() => missing().length === 0, 'all received', { progress: missing })
      const sorted = [...order].sort().map(String)
      expect(texts().filter((one) => sorted.includes(String(one)))).to.deep.equal(sorted)
      const toBob = () => bob.messages().map(({ raw }) => raw.extendedTextMessage?.text)
      await eventually(() => toBob().length === order.length, 'all received by Bob', { progress: toBob })
      expect(toBob()).to.deep.equal(sorted.map((place) => `Bob ${place}`))
    })

    it('fails when the session is not back in time, and is not sent afterwards', async () => {
      await open(LATE_SECONDS / 3_600)
      const { Id } = await text(session, 'too late', { SendAt: inMs(1_500) })
      await session.post('/session/disconnect')
      const { event } = await told.wait('ScheduleFailed', (failed) => failed.Id === Id)
      expect(event).to.include({ Code: 'SCHEDULE_LATE' })
      expect(Date.now()).to.be.at.least(Date.parse(event.SendAt) + LATE_SECONDS * 1_000)
      await session.post('/session/connect')
      await session.status({ LoggedIn: true })
      const next = await text(session, 'now')
      await ana.wait(({ id }) => id === next.Id)
      expect(texts()).to.deep.equal(['now'])
      await eventually(async () => (await jobsLeft()).Waiting === 0, 'no job left')
    })
  })
}
