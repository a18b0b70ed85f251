import { expect } from 'chai'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { KEYS, type TestGateway } from '../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { startOn } from '../../support/restarts.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { linkPhone } from '../../support/sessions.ts'
import { type Crm, crm } from './crm.ts'
import { allTold, SECRET, waitTold } from './told.ts'

for (const engine of engines)
  describe(`announcements of issues over restarts, ${engine.name}`, () => {
    let loose: LooseNetwork
    let receiver: Receiver
    let source: Crm
    let gateway: TestGateway
    let place: ReturnType<typeof engine.fresh>
    const down = { cause: 'crm-down' }
    const late = { cause: 'crm-late' }

    before(async () => {
      loose = await startNetwork()
      receiver = await startReceiver()
      place = engine.fresh()
    })
    after(async () => {
      await gateway?.stop()
      await receiver.close()
      await loose.network.close()
    })

    async function start(given: object = {}, url = receiver.url): Promise<void> {
      source = crm()
      const issues = { seconds: 0.05, settleSeconds: 0.3, url, secret: SECRET }
      gateway = await startOn(loose, { ...place, ...given }, [source.plugin], { issues })
    }
    async function looks(count: number): Promise<void> {
      const began = source.asked
      await eventually(() => source.asked > began + count, `${count} looks`, { progress: () => source.asked })
    }

    it('tells of what is open already once there is an address', async () => {
      await start({}, '')
      source.set(down, late)
      await looks(3)
      await gateway.stop()
      await start()
      source.set(down, late)
      await waitTold(receiver, 'opened', 'crm-down')
      await waitTold(receiver, 'opened', 'crm-late')
    })

    it('tells of nothing twice, and of what closed meanwhile, with another master key too', async () => {
      await gateway.stop()
      const newKey = `k2:${Buffer.alloc(32, 8).toString('base64')}`
      await start({ keys: `${newKey},${KEYS}` })
      source.set(down)
      await waitTold(receiver, 'closed', 'crm-late')
      await gateway.stop()
      await start({ keys: newKey })
      source.set(down)
      await looks(10)
      await gateway.stop()
      await start({ keys: newKey })
      await waitTold(receiver, 'closed', 'crm-down')
      const expected = [
        'opened crm-down crm',
        'opened crm-late crm',
        'closed crm-late crm',
        'closed crm-down crm',
      ]
      expect(allTold(receiver)).to.have.members(expected).and.have.length(4)
      place = { ...place, keys: newKey } as typeof place
    })

    it('logs each change of a session once', async () => {
      const session = await linkPhone(gateway, await loose.phones.create({ name: 'Unlinked' }))
      const Phone = session.phone.account.phone
      loose.network.fault({ Phone, Fault: 'streamError', Code: 401, Conflict: 'device_removed' })
      await waitTold(receiver, 'opened', 'session-logged-out')
      await gateway.stop()
      await start()
      await looks(10)
      const headers = { token: session.token }
      const states = async (): Promise<string[]> => {
        const { data } = await gateway.get('/events?limit=1000&class=Issue', headers)
        return data.Events.map(({ event }: { event: { State: string } }) => event.State)
      }
      expect(await states()).to.deep.equal(['opened'])
      expect(await gateway.post('/session/connect', { Immediate: false }, headers)).to.include({
        status: 200,
      })
      await session.phone.scan((await gateway.get('/session/qr', headers)).data.QRCode)
      await waitTold(receiver, 'closed', 'session-logged-out')
      expect(await states()).to.deep.equal(['opened', 'closed'])
    })

    it('refuses to start with an address that may not be called', async () => {
      await gateway.stop()
      const fault = await start({}, 'http://10.0.0.1/issues').catch((error: unknown) => error)
      expect(String((fault as Error)?.message)).to.include('url')
      await start()
    })
  })
