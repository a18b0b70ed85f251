import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type Stop, stopAll } from '../../../kernel/gateway.ts'
import { createLog } from '../../../kernel/logging/log.ts'
import { asFunction, definePlugin } from '../../../kernel/plugin.ts'
import { watchLeaks } from '../../../plugins/sandbox/testing/leaks.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { testGateway } from '../../support/gateway.ts'

describe('stopping', () => {
  it('goes through the list in order, past a part that fails, and rejects with the first failure', async () => {
    const stopped: string[] = []
    const lines: string[] = []
    const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } })
    const stops: readonly Stop[] = ['edge', 'events', 'database'].map((part) => [
      part,
      async () => {
        stopped.push(part)
        if (part !== 'edge') throw new Error(`${part} is stuck`)
      },
    ])
    const error = await stopAll(stops, log).catch(String)
    expect(stopped).to.deep.equal(['edge', 'events', 'database'])
    expect(error).to.equal('Error: events is stuck')
    expect(lines.map((line) => JSON.parse(line).part)).to.deep.equal(['events', 'database'])
  })

  it('says every moment what a part that takes long still waits for', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } })
    const left = ['restoring sessions', 'pruning']
    let end = (): void => undefined
    const stopped = new Promise<void>((resolve) => {
      end = resolve
    })
    const stops: readonly Stop[] = [
      ['edge', async () => undefined],
      ['background work', () => stopped, () => left],
    ]
    const all = stopAll(stops, log, 20)
    await eventually(() => lines.length > 1, 'said twice')
    left.shift()
    await eventually(() => lines.some((line) => line.includes('["pruning"]')), 'what is left')
    end()
    await all
    const said = lines.map((line) => JSON.parse(line))
    expect(new Set(said.map(({ part, level }) => `${part} ${level}`))).to.deep.equal(
      new Set(['background work 40']),
    )
    expect(said[0]).to.include({ seconds: 0.02, msg: 'gateway part is still stopping' })
    expect(said[0].waitsFor).to.deep.equal(['restoring sessions', 'pruning'])
  })

  it('follows a start that failed at its last step: nothing goes on, and the database is free', async () => {
    const busy = createServer()
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
    const { port } = busy.address() as AddressInfo
    let closed = 0
    const plugin = definePlugin({
      name: 'reader',
      version: '1.0.0',
      api: '^1.0.0',
      consume: { handle: async () => undefined },
      services: () => ({
        thing: asFunction(() => 'thing')
          .singleton()
          .disposer(() => {
            closed += 1
          }),
      }),
      setup: async ({ thing }) => void expect(thing).to.equal('thing'),
    })
    const dataDir = temporaryFolder()
    const gateway = testGateway({ plugins: [{ plugin }], port, dataDir })
    const watch = watchLeaks()
    expect(await watch.run(() => gateway.start().catch(String))).to.include('EADDRINUSE')
    expect(await watch.leaks()).to.deep.equal([])
    expect(closed).to.equal(1)
    const again = testGateway({ plugins: [{ plugin }], dataDir })
    await again.start()
    await again.stop()
    expect(closed).to.equal(2)
    busy.close()
  })
})
