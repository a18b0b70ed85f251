import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { fill, injectErrors } from '../storage/troubles.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { whole } from '../support/run/whole.ts'
import { startReceiver } from '../support/servers/receiver.ts'
import { admin } from '../support/world.ts'
import { drained, link } from './crash.ts'
import { compare, faultsOf, NO_FAULTS } from './evidence.ts'
import { startTraffic } from './traffic.ts'

/** What is wrong with the disk, from `begin` until what that returns was called. */
interface Trouble {
  dataDir: string
  begin(gateway: GatewayProcess): Promise<() => Promise<unknown>>
  /** What the answers call it. */
  code: RegExp
}

/** Traffic both ways, trouble in the middle of it, and then what everybody has. */
async function survive({ dataDir, begin, code }: Trouble): Promise<void> {
  const loose = await startNetwork()
  const receiver = await startReceiver()
  const gateway = await startProcess({
    WAMUX_DATA_DIR: dataDir,
    WAMUX_BAILEYS_NETWORK: loose.card,
    WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  })
  running = gateway
  const names = ['A', 'B', 'C', 'D']
  const phones = await Promise.all(names.map((name) => loose.phones.create({ name })))
  const [a, b, ...peers] = phones as [Phone, Phone, Phone, Phone]
  const sessions = [await link(gateway, a, receiver), await link(gateway, b, receiver)]
  const Participants = [a, b, peers[1] as Phone].map(({ account }) => account.phone)
  const { JID } = await (peers[0] as Phone).act({ Action: 'createGroup', Text: 'G', Participants })
  const traffic = startTraffic({ sessions, peers, group: String(JID) })
  traffic.gateway = gateway
  const statusOf = async (token: string) => (await gateway.get('/session/status', { token })).data

  const size = () => traffic.sent.size + traffic.received.size
  await eventually(() => traffic.sent.size > 10 && traffic.received.size > 20, 'writing both ways', {
    progress: size,
  })
  const end = await begin(gateway)
  for (const { token } of sessions) {
    await eventually(async () => {
      const { State, Reason } = await statusOf(token)
      return State === 'waiting' && code.test(Reason)
    }, 'a session that waits and says why')
  }
  const refused = await gateway.post('/session/init', {}, admin)
  expect(refused).to.include({ status: 507, success: false })
  expect(refused.error).to.match(/^Storage is full or failing: SQLITE_/)
  const sent = traffic.sent.size
  const received = traffic.received.size
  await eventually(() => traffic.received.size > received + 20, 'written by the phones', { progress: size })
  expect(traffic.sent.size, 'sends that were answered with success meanwhile').to.equal(sent)
  expect(await gateway.get('/server/ok')).to.include({ status: 200 })

  await end()
  for (const { token } of sessions)
    await eventually(async () => (await statusOf(token)).LoggedIn === true, 'logged in again')
  await eventually(() => traffic.sent.size > sent + 10, 'sending again', { progress: size })
  await traffic.stop(60_000)
  await drained(loose, [a, b])
  const stop = () => gateway.end('SIGTERM')
  const report = await compare({ traffic, loose, receiver, dataDir, peers, stop })
  await receiver.close()
  await loose.network.close()
  // Who was sending at that moment hears of it at once, and not after the time for an answer.
  const answers = [...traffic.postponed].join('\n')
  expect(answers)
    .to.match(/^507 Storage is full or failing: SQLITE_/m)
    .and.not.match(/^504/m)
  expect(report.received).to.be.greaterThan(40)
  expect(report.sent).to.be.greaterThan(20)
  expect(faultsOf(report)).to.deep.equal(NO_FAULTS)
}

let running: GatewayProcess | undefined

describe('under traffic both ways', function () {
  this.timeout(300_000)
  // Also when a test failed half-way.
  afterEach(() => running?.end('SIGKILL'))

  describe('a disk without room', () => {
    const dataDir = temporaryFolder()
    let isMounted = false
    before(function () {
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dataDir], { stdio: 'ignore' })
        isMounted = true
      } catch {
        // Only root may mount; there is no other small disk to fill.
        this.skip()
      }
    })
    after(() => {
      if (isMounted) execFileSync('umount', ['-l', dataDir])
    })

    it('loses and doubles nothing, says so, and needs no restart once there is room', () =>
      survive({
        dataDir,
        code: /SQLITE_FULL/,
        async begin() {
          const file = join(dataDir, 'filler')
          fill(file)
          return async () => rmSync(file)
        },
      }))
  })

  whole.describe('a disk that fails', () => {
    before(function () {
      try {
        execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' })
      } catch {
        // Not installed, or tracing is not allowed here.
        this.skip()
      }
    })

    it('loses and doubles nothing, says so, and needs no restart once it works again', () =>
      survive({
        dataDir: temporaryFolder(),
        code: /SQLITE_IOERR/,
        begin: ({ pid }) => injectErrors(pid, 'fdatasync,fsync,pwrite64'),
      }))
  })
})
