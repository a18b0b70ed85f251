import { expect } from 'chai'
import knex from 'knex'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../support/calls.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { whole } from '../support/run/whole.ts'
import { linkPhone, sessionOf } from '../support/sessions.ts'

describe('a message on which the network closes the link, and a gateway that is killed', function () {
  this.timeout(300_000)
  let loose: LooseNetwork
  let env: Record<string, string>
  let shop: Phone
  let ana: Phone
  let token: { token: string }
  let gateway: GatewayProcess

  const loggedIn = () => sessionOf(gateway, token.token, shop).status({ LoggedIn: true })
  const life = async (crash: Record<string, string> = {}): Promise<void> => {
    gateway = await startProcess({ ...env, ...crash }, 'start', ['./test/crash/killer.ts'])
  }
  const send = (Body: string, Id: string): Promise<Answer> =>
    gateway.post('/send/text', { Phone: ana.account.phone, Body, Id }, { ...token, Prefer: 'respond-async' })
  const becomes = async (Id: string, wanted: string): Promise<void> => {
    await eventually(async () => {
      const { data } = await gateway.post('/message/status', { Id }, token)
      if (data?.Status === wanted) return true
      throw new Error(`it is ${data?.Status}`)
    }, `${Id} ${wanted}`)
  }
  /** The end of the link is committed. */
  const counted = async (): Promise<void> => {
    const filename = `${env['WAMUX_DATA_DIR']}/wamux.sqlite`
    const database = knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true })
    const rows = () => database('baileys_outgoing').where({ breaks: 1 })
    await eventually(async () => (await rows()).length > 0, 'counted')
    await database.destroy()
  }
  const logins = () => (loose.network.view()['Counters'] as { logins: number }).logins

  before(async () => {
    loose = await startNetwork()
    env = {
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_BAILEYS_NETWORK: loose.card,
      WAMUX_BAILEYS_TRIAL_MS: '300',
    }
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await loose.phones.create({ name: 'Ana' })
    await life()
    token = (await linkPhone(gateway, shop)).headers
    await send('hello', 'hello')
    await becomes('hello', 'Delivered')
  })
  after(async () => {
    await gateway.end('SIGTERM')
    await loose.network.close()
  })

  it('is given up after three trials also where the first was that of a process before', async () => {
    const before = logins()
    loose.network.fault({ Fault: 'smallFrames', Bytes: 20_000 })
    loose.network.fault({ Phone: shop.account.phone, Fault: 'failure', Code: 503 })
    expect(await send('x'.repeat(30_000), 'poison')).to.include({ status: 202 })
    await counted()
    await gateway.end('SIGKILL')
    loose.network.fault({ Phone: shop.account.phone, Fault: 'clear' })
    await life()
    await becomes('poison', 'Error')
    expect(await send('after it', 'after')).to.include({ status: 202 })
    await becomes('after', 'Delivered')
    loose.network.fault({ Fault: 'clear' })
    expect(logins(), 'one as the only suspect, three of its trials, and one after them').to.equal(before + 5)
  })

  whole.it('is not blamed for a process that was killed while it was under way', async () => {
    await gateway.end('SIGTERM')
    await life({ CRASH_AT: 'after:relay', CRASH_NTH: '1' })
    await loggedIn()
    await send('innocent', 'innocent').catch(() => undefined)
    await gateway.ended
    for (const moment of ['after:relay', 'after:frame', 'after:relay']) {
      await life({ CRASH_AT: moment, CRASH_NTH: moment === 'after:relay' ? '1' : '12' }).catch(
        () => undefined,
      )
      await gateway.ended
    }
    await life()
    await becomes('innocent', 'Delivered')
  })
})
