import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createLog } from '../../../config/logging/log.ts'
import { watchLeaks } from '../../../config/testing/leaks.ts'
import { definePlugin } from '../../../kernel/plugin.ts'
import { type Stop, stopAll } from '../../../kernel/wiring/stop.ts'
import consumers from '../../../plugins/consumers/index.ts'
import { temporaryFolder } from '../../support/databases.ts'
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
      close: async () => {
        closed += 1
      },
    })
    const dataDir = temporaryFolder()
    const gateway = testGateway({ plugins: [{ plugin }, { plugin: consumers }], port, dataDir })
    const watch = watchLeaks()
    expect(await watch.run(() => gateway.start().catch(String))).to.include('EADDRINUSE')
    expect(await watch.leaks()).to.deep.equal([])
    expect(closed).to.equal(1)
    const again = testGateway({ plugins: [{ plugin }, { plugin: consumers }], dataDir })
    await again.start()
    await again.stop()
    expect(closed).to.equal(2)
    busy.close()
  })
})
