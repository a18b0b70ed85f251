import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { nameOfFile } from '../../../../config/cli/import/key-names.ts'
import { temporaryFolder } from '../../../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { startProcess } from '../../../support/process.ts'
import { wamux } from '../../../support/wamux.ts'
import { assertMoved, createMover, exchange, type Mover, retries } from './moved.ts'
import { linkStock } from './stock.ts'

describe('wamux import baileys', function () {
  this.timeout(180_000)
  const folders = temporaryFolder()
  const env: Record<string, string> = { WAMUX_DATA_DIR: temporaryFolder() }
  let loose: LooseNetwork
  let movers: Mover[]

  const link = async (mover: Mover, into: string, library?: string): Promise<void> => {
    const stock = await linkStock(loose, mover.phone, join(into, mover.name), library)
    await exchange(mover, stock)
    await stock.stop()
  }

  before(async () => {
    loose = await startNetwork()
    env['WAMUX_BAILEYS_NETWORK'] = loose.card
    movers = await Promise.all(['anna', 'bruno'].map((name) => createMover(loose, name)))
    await Promise.all(movers.map((mover) => link(mover, folders)))
  })
  after(() => loose.network.close())

  const command = ['import', 'baileys', folders, '--network', 'sandbox']
  const run = (...args: string[]) => wamux([...command, ...args], env)

  it('reads the names that Baileys makes file names of', () => {
    const names = [
      'session-5511900000001.0',
      'session-100000000000001_1.3',
      'sender-key-1203@g.us::5511900000001::0',
      'sender-key-5511-1600@g.us::100000000000001_1::12',
      'sender-key-memory-5511-1600@g.us',
      'app-state-sync-key-AA/AAJ+/',
      'lid-mapping-100000000000001_reverse',
    ]
    for (const name of names)
      expect(nameOfFile(`${name.replace(/\//g, '__').replace(/:/g, '-')}.json`)).to.equal(name)
  })

  it('lists what would come, imports it, and refuses it a second time', async () => {
    const listed = await run('--dry-run')
    expect(listed.code, listed.err).to.equal(0)
    expect(listed.out).to.match(/would import anna: .*[1-9]\d* Signal sessions, [1-9]\d* sender keys/)
    expect(listed.out).to.include('2 would be imported, 0 refused')
    // Killed before its commit it has imported nothing, and after it one session as a whole.
    const crash = (at: string) => wamux(command, { ...env, CRASH_AT: at }, ['./test/crash/killer.ts'])
    for (const at of ['before:commit', 'after:commit']) expect((await crash(at)).code, at).to.equal('SIGKILL')
    const one = await run('--only', 'anna', 'clara')
    expect(one.out, one.err).to.include('refused   clara: the source has no session of this name')
    const again = await run()
    expect(again).to.include({ code: 1 })
    expect(again.out).to.match(/refused {3}anna: it is here already, as the session "anna"/)
    expect(again.out).to.match(/imported {2}bruno/)
  })

  it('goes on without a QR code and without a retry, alone and in groups', async () => {
    const gateway = await startProcess(env)
    try {
      for (const mover of movers) {
        await assertMoved(gateway, mover)
        expect(retries(mover), mover.name).to.deep.equal([])
      }
      expect(loose.network.view()['Counters']).to.include({ pairings: 2 })
      const busy = await run()
      expect(busy.err).to.include('another wamux process already uses')
    } finally {
      await gateway.end('SIGTERM')
    }
  })

  it('goes on from Baileys 6, where npm run conformance has installed it', async function () {
    const library = resolve('test/conformance/node_modules/baileys-6/lib/index.js')
    if (!existsSync(library)) return this.skip()
    const mover = await createMover(loose, 'six')
    const six = temporaryFolder()
    await link(mover, six, pathToFileURL(library).href)
    const fresh = { ...env, WAMUX_DATA_DIR: temporaryFolder() }
    const { out, err } = await wamux(['import', 'baileys', six, '--network', 'sandbox'], fresh)
    expect(out, err).to.include('1 imported, 0 refused')
    const gateway = await startProcess(fresh)
    await assertMoved(gateway, mover).finally(() => gateway.end('SIGTERM'))
    return undefined
  })

  it('refuses what is not linked or damaged, and imports nothing of it', async () => {
    const odd = temporaryFolder()
    const make = (name: string, creds: string): string => {
      mkdirSync(join(odd, name))
      writeFileSync(join(odd, name, 'creds.json'), creds)
      return join(odd, name)
    }
    make('unlinked', '{"noiseKey":{}}')
    make('cut', '{"noiseKey":')
    cpSync(join(folders, 'anna'), join(odd, 'torn'), { recursive: true })
    writeFileSync(join(odd, 'torn', 'session-1.0.json'), '{"_sess')
    const fresh = { ...env, WAMUX_DATA_DIR: temporaryFolder() }
    const { code, out } = await wamux(['import', 'baileys', odd], fresh)
    expect(code).to.equal(1)
    expect(out).to.match(/refused {3}unlinked: it is not linked: its credentials have no me, account/)
    expect(out).to.match(/refused {3}cut: creds.json is damaged/)
    expect(out).to.match(/refused {3}torn: session-1.0.json is damaged/)
    expect(out).to.include('0 imported, 3 refused')
    expect((await wamux(['import', 'baileys', join(odd, 'none')], fresh)).err).to.include('is not a folder')
  })
})
