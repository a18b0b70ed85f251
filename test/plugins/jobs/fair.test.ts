import { expect } from 'chai'
import { definePlugin, type Plugin, type Sessions } from 'wamux/plugin'
import jobs, { type Job, type Queue } from '../../../plugins/jobs/index.ts'
import { everyEngine } from '../../support/databases.ts'
import { deferred } from '../../support/deferred.ts'
import { eventually } from '../../support/eventually.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'

/** More than any page of jobs that are read at once. */
const BACKLOG = 300

for (const engine of everyEngine) {
  describe(`the queues of jobs, ${engine.name}`, () => {
    let gateway: TestGateway
    let sessions: Sessions
    const held = deferred<void>()
    const begun: Job[] = []
    const begin = async (job: Job): Promise<void> => {
      begun.push(job)
      if (job.data === 'held') await held.promise
    }
    const queues: Record<string, Queue> = {
      slow: { handle: begin },
      quick: { handle: begin },
      shared: { handle: begin },
      wide: { concurrency: 4, concurrencyPerSession: 2, handle: begin },
    }
    const worker: Plugin = definePlugin({
      name: 'worker',
      version: '1.0.0',
      api: '^1.0.0',
      contributes: {
        jobs: (deps) => {
          sessions = deps.sessions
          return { queues }
        },
      },
    })
    before(async () => {
      gateway = await startedGateway({ plugins: [{ plugin: jobs }, { plugin: worker }] }, engine)
    })
    after(async () => {
      held.resolve()
      await gateway.stop()
    })

    const add = (queue: string, id: string, job: { session?: string; data?: unknown; runAt?: number } = {}) =>
      gateway.service('jobs').add(`worker.${queue}`, { id, ...job })
    const addMany = (queue: string, name: string, session?: string) =>
      Promise.all(
        Array.from({ length: BACKLOG }, (_, i) =>
          add(queue, `${name} ${i}`, { ...(session ? { session } : {}), runAt: i + 1 }),
        ),
      )
    const newSession = async (name: string): Promise<string> => (await sessions.create({ name })).id
    const hasBegun = (id: string): boolean => begun.some((job) => job.id === id)

    it('do not wait for the backlog of another queue', async () => {
      await add('slow', 'busy', { data: 'held', runAt: 0 })
      await addMany('slow', 'waits')
      await add('quick', 'quick')
      await eventually(() => hasBegun('quick'), 'the job of the other queue handled')
      expect(begun.map(({ id }) => id)).to.deep.equal(['busy', 'quick'])
    })

    it('give a session its turn before the backlog of another one is done', async () => {
      const [many, one] = [await newSession('many'), await newSession('one')]
      const first = deferred<void>()
      queues['shared'] = { handle: (job) => begin(job).then(() => first.promise) }
      await addMany('shared', 'many', many)
      await eventually(() => begun.some(({ session }) => session === many), 'its first job')
      await add('shared', 'one', { session: one })
      first.resolve()
      await eventually(() => hasBegun('one'), 'the job of the other session')
      const order = begun.filter(({ session }) => session !== '').map(({ id }) => id)
      expect(order.indexOf('one'), order.slice(0, 5).join()).to.be.within(1, 3)
      await eventually(() => hasBegun(`many ${BACKLOG - 1}`), 'all of them', { progress: () => begun.length })
      expect(begun.filter(({ session }) => session === many)).to.have.length(BACKLOG)
    })

    it('leave places to others where a session may not have all of them', async () => {
      const [slow, other] = [await newSession('slow'), await newSession('other')]
      for (const id of ['1', '2', '3', '4'])
        await add('wide', `slow ${id}`, { session: slow, data: 'held', runAt: Number(id) })
      for (const id of ['1', '2', '3']) await add('wide', `other ${id}`, { session: other })
      await eventually(() => hasBegun('other 3'), 'the jobs of the other session')
      expect(begun.filter(({ session }) => session === slow).map(({ id }) => id)).to.deep.equal([
        'slow 1',
        'slow 2',
      ])
    })
  })
}
