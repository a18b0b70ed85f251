import { expect } from 'chai'
import { definePlugin } from 'wamux/plugin'
import type { NewJob } from '../../plugins/jobs/index.ts'
import { deferred } from '../support/deferred.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { admin } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

/** More than any page of jobs that are read at once. */
const BACKLOG = 300

describe('a backlog of jobs of a session', () => {
  const held = deferred<void>()
  const begun: { node: string; session: string; id: string }[] = []
  const nodes: TestGateway[] = []
  let loose: LooseNetwork

  const worker = (node: string) =>
    definePlugin({
      name: 'worker',
      version: '1.0.0',
      api: '^1.0.0',
      contributes: {
        jobs: () => ({
          queues: {
            work: {
              async handle({ id, session, data }) {
                begun.push({ node, session, id })
                if (data === 'held') await held.promise
              },
            },
          },
        }),
      },
    })

  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    for (const name of ['a', 'b'])
      nodes.push(await startNode({ name, card: loose.card, database, extra: [worker(name)] }))
  })
  after(async () => {
    held.resolve()
    await Promise.all(nodes.map((node) => node.stop()))
    await loose?.network.close()
  })

  it('does not hide the jobs of another session from the node that serves that one', async () => {
    const [a, b] = nodes as [TestGateway, TestGateway]
    // Either node may claim a new session first.
    const sessionOf = (node: TestGateway): Promise<string> =>
      eventually(async () => {
        const { data } = await node.post('/session/init', {}, admin)
        return (await node.service('ownership').claim?.(data.Id)) ? String(data.Id) : undefined
      }, 'a session of its own')
    const [many, one] = [await sessionOf(a), await sessionOf(b)]
    const add = (node: TestGateway, job: NewJob) => node.service('jobs').add('worker.work', job)
    const backlog = Array.from({ length: BACKLOG }, (_, i) => ({
      id: `many ${i}`,
      session: many,
      runAt: i + 1,
    }))
    await Promise.all(backlog.map((job) => add(a, { ...job, data: 'held' })))
    await eventually(() => begun.some(({ session }) => session === many), 'one of the backlog')
    await add(b, { id: 'one', session: one })
    await eventually(() => begun.some(({ id }) => id === 'one'), 'the job of the other session')
    expect(begun.map(({ node, session }) => [node, session])).to.deep.equal([
      ['a', many],
      ['b', one],
    ])
  })
})
