import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { everyEngine } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { readMetrics } from '../../support/metrics.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { startOn } from '../../support/restarts.ts'
import { admin, type LinkedSession, linkPhone, sessionOf } from '../../support/sessions.ts'

/** How each state comes about. */
const ENDS: Readonly<Record<string, { cause: string; end(loose: LooseNetwork, phone: Phone): unknown }>> = {
  'logged-out': { cause: 'logged-out', end: (_, phone) => unlinkAll(phone) },
  banned: { cause: 'banned', end: (loose, phone) => refuse(loose, phone, 403) },
  replaced: {
    cause: 'replaced',
    end: ({ network }, { account }) => network.fault({ Fault: 'replaced', Phone: account.phone }),
  },
  failed: { cause: 'bad-user-agent', end: (loose, phone) => refuse(loose, phone, 409) },
}

for (const engine of everyEngine) {
  describe(`the state of a session whose link has ended for good (${engine.name})`, () => {
    const place = engine.fresh()
    const ended = new Map<string, { session: LinkedSession; name: string }>()
    let loose: LooseNetwork
    let gateway: TestGateway

    before(async () => {
      loose = await startNetwork()
      gateway = await startOn(loose, place)
      for (const [state, { end }] of Object.entries(ENDS)) {
        const name = `is ${state}`
        const phone = await loose.phones.create({ name })
        const session = await linkPhone(gateway, phone)
        await end(loose, phone)
        await session.status({ State: state })
        ended.set(state, { session, name })
      }
    })
    after(async () => {
      await gateway.stop()
      await loose.network.close()
    })

    const rows = async (): Promise<Record<string, string>[]> =>
      (await gateway.get('/session/summary', admin)).data.Sessions
    const rowOf = async (state: string) => (await rows()).find(({ Name }) => Name === `is ${state}`) ?? {}
    const logins = () => (loose.network.view()['Counters'] as { logins: number }).logins
    async function restart(): Promise<void> {
      await gateway.stop()
      gateway = await startOn(loose, place)
    }

    for (const [state, { cause }] of Object.entries(ENDS)) {
      it(`${state}: is shown, with its reason, until somebody acts, whatever restarts come in between`, async () => {
        // One whose reason a restart may remove is tried again.
        const settled = () =>
          eventually(async () => {
            const now = await rowOf(state)
            return now['State'] === state && now
          }, state)
        const before = await settled()
        expect(before).to.include({ Cause: cause })
        for (const _ of ['first', 'second']) {
          await restart()
          const row = await settled()
          expect(row).to.include({ Cause: cause, Next: before['Next'] })
          if (state !== 'failed') expect(row).to.include({ Reason: before['Reason'], Since: before['Since'] })
        }
      })

      it(`${state}: has a series that names it, and no change of its state by a stop`, async () => {
        const { session } = ended.get(state) as { session: LinkedSession }
        const shown = await eventually(async () => {
          const now = await readMetrics(gateway.url, admin)
          return now.value('wamux_session_ended', { state, name: `is ${state}` }) === 1 && now
        }, 'shown')
        expect(shown.value('wamux_sessions', { state })).to.equal(1)
        const { get } = sessionOf(gateway, session.token, session.phone)
        const changes: { To: string }[] = (await get('/session/history')).data.Changes
        const since = changes.slice(0, 1 + changes.findLastIndex(({ To }) => To === state))
        // A stop may come while that one is being tried again.
        if (state !== 'failed') expect(since.map(({ To }) => To)).to.not.include('offline')
      })
    }

    it('does not connect a replaced session, which would end the other one of its account', async () => {
      loose.network.fault({ Fault: 'clear' })
      const { session } = ended.get('failed') as { session: LinkedSession }
      await sessionOf(gateway, session.token, session.phone).post('/session/connect')
      await eventually(async () => (await rowOf('failed'))['State'] === 'open', 'connected')
      const before = logins()
      await restart()
      await eventually(async () => (await rowOf('failed'))['State'] === 'open', 'connected again')
      expect(logins()).to.equal(before + 1)
      expect(await rowOf('replaced')).to.include({ State: 'replaced' })
    })

    it('ends once the session is connected, or disconnected on request', async () => {
      const at = (state: string): LinkedSession => {
        const { session } = ended.get(state) as { session: LinkedSession }
        return sessionOf(gateway, session.token, session.phone)
      }
      await at('replaced').post('/session/connect')
      await eventually(async () => (await rowOf('replaced'))['State'] === 'open', 'connected')
      // Both need a client, which a restart has not left them.
      expect(await at('logged-out').get('/session/qr')).to.include({ status: 200 })
      expect(await at('banned').post('/session/disconnect')).to.include({ status: 200 })
      expect(await rowOf('banned')).to.include({ State: 'offline', Reason: 'disconnected on request' })
      await restart()
      await eventually(async () => (await rowOf('replaced'))['State'] === 'open', 'restored')
      for (const state of ['logged-out', 'banned'])
        expect(await rowOf(state)).to.include({ State: 'offline' })
      const shown = await readMetrics(gateway.url, admin)
      expect(shown.value('wamux_session_ended')).to.equal(undefined)
    })

    it('is no alarm where it was asked for', async () => {
      const session = await linkPhone(gateway, await loose.phones.create({ name: 'asked' }))
      await session.post('/session/logout')
      await session.status({ State: 'logged-out' })
      await restart()
      const row = (await rows()).find(({ Name }) => Name === 'asked')
      expect(row).to.include({ State: 'logged-out', Reason: 'logged out on request' })
      const shown = await readMetrics(gateway.url, admin)
      expect(shown.value('wamux_session_ended')).to.equal(undefined)
    })
  })
}

async function unlinkAll(phone: Phone): Promise<void> {
  const companions = phone.view()['Companions'] as { JID: string }[]
  for (const { JID } of companions) await phone.act({ Action: 'unlink', Companion: JID })
}

function refuse({ network }: LooseNetwork, { account }: Phone, Code: number): void {
  network.fault({ Fault: 'failure', Phone: account.phone, Code })
  network.fault({ Fault: 'drop', Phone: account.phone })
}
