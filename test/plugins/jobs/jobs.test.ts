import { expect } from 'chai'
import { definePlugin, isManual, type Plugin } from 'wamux/plugin'
import jobs, { type Job, type JobsContribution } from '../../../plugins/jobs/index.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN, type TestGateway, testGateway } from '../../support/gateway.ts'

const admin = { admintoken: ADMIN }
const worker = (contribution: JobsContribution): Plugin =>
  definePlugin({
    name: 'worker',
    version: '1.0.0',
    api: '^1.0.0',
    contributes: { jobs: () => contribution },
  })

for (const engine of engines) {
  describe(`the plugin jobs, ${engine.name}`, () => {
    const opened: TestGateway[] = []
    const open = async (contribution: JobsContribution, place = engine.fresh()): Promise<TestGateway> => {
      const plugins = [jobs, worker(contribution)].map((plugin) => ({ plugin }))
      const gateway = testGateway({ plugins, ...place }, engine)
      opened.push(gateway)
      await gateway.start()
      return gateway
    }
    afterEach(async () => {
      for (const gateway of opened.splice(0)) await gateway.stop()
    })
    const queuesOf = async (gateway: TestGateway) => (await gateway.get('/server/jobs', admin)).data.Queues

    it('handles a job, tries it again after an error, and then makes it a dead letter to retry or drop', async () => {
      const tries: Job[] = []
      let isBroken = true
      const gateway = await open({
        queues: {
          mails: {
            attempts: 2,
            backoffSeconds: 0.01,
            async handle(job) {
              tries.push(job)
              if (isBroken && job.id !== 'good') throw new Error('no stamps')
            },
          },
        },
      })
      const service = gateway.service('jobs')
      await service.add('worker.mails', { id: 'good', data: { to: 'Ana' } })
      await eventually(() => tries.length === 1, 'job handled')
      expect(tries[0]).to.deep.include({ id: 'good', session: '', data: { to: 'Ana' }, attempt: 1 })
      await service.add('worker.mails', { id: 'bad' })
      await eventually(async () => (await queuesOf(gateway))[0].DeadLetters === 1, 'dead letter')
      expect(tries.map(({ id, attempt }) => `${id} ${attempt}`)).to.deep.equal(['good 1', 'bad 1', 'bad 2'])
      const path = '/server/jobs/worker.mails/dead-letters'
      const { DeadLetters } = (await gateway.get(path, admin)).data
      expect(DeadLetters).to.have.length(1)
      expect(DeadLetters[0]).to.include({ Id: 'bad', Session: '', Attempts: 2, Error: 'no stamps' })
      isBroken = false
      expect((await gateway.post(`${path}/retry`, {}, admin)).data).to.deep.equal({ Retried: 1 })
      await eventually(async () => (await queuesOf(gateway))[0].Waiting === 0, 'queue empty')
      expect(tries).to.have.length(4)
      expect((await gateway.post(`${path}/drop`, {}, admin)).data).to.deep.equal({ Dropped: 0 })
      expect(await gateway.get('/server/jobs/none/dead-letters', admin)).to.include({ status: 404 })
      expect(() => service.write('worker.none', { id: '1' })).to.throw('Queue worker.none not found')
    })

    it('tells a try that an operator asked for from those that follow by the clock', async () => {
      const tries: { attempt: number; isManual: boolean }[] = []
      let left = 4
      const gateway = await open({
        queues: {
          mails: {
            attempts: 2,
            backoffSeconds: 0.01,
            async handle(job) {
              expect(isManual(), 'what it sends learns of it').to.equal(job.isManual)
              tries.push({ attempt: job.attempt, isManual: job.isManual })
              left -= 1
              if (left > 0) throw new Error('no stamps')
            },
          },
        },
      })
      await gateway.service('jobs').add('worker.mails', { id: 'bad' })
      const isDead = async () => (await queuesOf(gateway))[0].DeadLetters === 1
      await eventually(isDead, 'dead letter')
      await gateway.post('/server/jobs/worker.mails/dead-letters/retry', {}, admin)
      await eventually(async () => (await queuesOf(gateway))[0].Waiting === 0 && left === 0, 'handled')
      expect(tries).to.deep.equal([
        { attempt: 1, isManual: false },
        { attempt: 2, isManual: false },
        { attempt: 1, isManual: true },
        { attempt: 2, isManual: false },
      ])
    })

    it('keeps one job of an id, and handles after a restart what a stop has left', async () => {
      const place = engine.fresh()
      const first = await open({ queues: { mails: { handle: async () => undefined } } }, place)
      const later = Date.now() + 3_600_000
      await first.service('jobs').add('worker.mails', { id: 'one', data: 1, runAt: later })
      await first.service('jobs').add('worker.mails', { id: 'one', data: 2, runAt: later })
      await first.service('jobs').add('worker.mails', { id: 'two', data: 3 })
      await eventually(async () => (await queuesOf(first))[0].Waiting === 1, 'the due one handled')
      await first.stop()
      opened.pop()
      const handled: unknown[] = []
      const second = await open(
        { queues: { mails: { handle: async ({ id, data }) => void handled.push([id, data]) } } },
        place,
      )
      await second.service('jobs').add('worker.mails', { id: 'three', data: 4 })
      await eventually(() => handled.length === 1, 'new one handled')
      expect(handled).to.deep.equal([['three', 4]])
      await eventually(async () => (await queuesOf(second))[0].Waiting === 1, 'the end of the new one stored')
      expect(await queuesOf(second)).to.deep.equal([{ Name: 'worker.mails', Waiting: 1, DeadLetters: 0 }])
    })

    it('runs schedules by seconds and by cron, and lists how the last run went', async () => {
      const runs: string[] = []
      const gateway = await open({
        schedules: {
          often: { everySeconds: 0.02, run: async () => runs.push('often') },
          failing: {
            cron: '* * * * * *',
            run: async () => {
              runs.push('failing')
              throw new Error('no power')
            },
          },
          yearly: { cron: '0 3 1 1 *', timeZone: 'Europe/Berlin', run: async () => runs.push('yearly') },
        },
      })
      await eventually(() => runs.filter((name) => name === 'often').length > 2, 'interval', {
        progress: () => runs.length,
      })
      await eventually(() => runs.includes('failing'), 'cron', { progress: () => Date.now() })
      const list = async () => (await gateway.get('/server/jobs', admin)).data.Schedules
      await eventually(async () => (await list())[1].Error === 'no power', 'error listed')
      const [, , yearly] = await list()
      expect(yearly).to.include({ Name: 'worker.yearly', LastEnd: '', Error: '' })
      expect(yearly.Next).to.match(/^\d{4}-01-01T02:00:00/)
      expect(runs).to.not.include('yearly')
    })

    it('does not run an interval again at a restart before it is due', async () => {
      const place = engine.fresh()
      let count = 0
      const schedules = { hourly: { everySeconds: 3_600, run: async () => (count += 1) } }
      const first = await open({ schedules }, place)
      await eventually(() => count === 1, 'first run')
      await eventually(
        async () => (await first.get('/server/jobs', admin)).data.Schedules[0].LastEnd !== '',
        'first run stored',
      )
      await first.stop()
      opened.pop()
      const second = await open({ schedules }, place)
      const { Next } = (await second.get('/server/jobs', admin)).data.Schedules[0]
      expect(Date.parse(Next)).to.be.greaterThan(Date.now() + 3_500_000)
      expect(count).to.equal(1)
    })

    it('refuses at the start a schedule that can not be read', async () => {
      const fault = await open({ schedules: { odd: { cron: 'often', run: async () => undefined } } }).catch(
        (error: Error) => error,
      )
      opened.pop()
      expect((fault as Error).message).to.include('schedule worker.odd')
    })
  })
}
