import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { startProcess } from '../../support/process.ts'
import { isWhole } from '../../support/run/whole.ts'
import { linkPhone, sessionOf } from '../../support/sessions.ts'

/** When it is due and nothing is stored; in the outbox; on the wire without an answer; in the outbox without the end of its job. */
const MOMENTS = ['schedule:due', 'after:outgoing-row', 'after:relay', 'schedule:stored']
/** Ends the process at the named moment, as a power cut would. */
const KILLER = new URL('../../crash/killer.ts', import.meta.url).pathname

describe('a scheduled message, when the gateway is killed', () => {
  let loose: LooseNetwork
  let shop: Phone
  let ana: Phone
  let env: Record<string, string>
  let headers: { token: string }
  before(async () => {
    loose = await startNetwork()
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await loose.phones.create({ name: 'Ana' })
    env = {
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_BAILEYS_NETWORK: loose.card,
      WAMUX_PLUGINS: 'schedule',
    }
    const gateway = await startProcess(env)
    headers = (await linkPhone(gateway, shop)).headers
    await gateway.end('SIGTERM')
  })
  after(() => loose.network.close())

  const texts = (): (string | null | undefined)[] =>
    ana.messages().map(({ raw }) => raw.extendedTextMessage?.text)

  for (const moment of isWhole ? MOMENTS : MOMENTS.slice(2, 3)) {
    it(`is sent exactly once: ${moment}`, async () => {
      const killed = await startProcess({ ...env, CRASH_AT: moment }, 'start', [KILLER])
      await sessionOf(killed, headers.token, shop).status({ LoggedIn: true })
      const SendAt = new Date(Date.now() + 1_500).toISOString()
      const answer = await killed.post(
        '/send/text',
        { Phone: ana.account.phone, Body: moment, SendAt },
        headers,
      )
      expect(answer.status, answer.error).to.equal(202)
      expect(await killed.ended).to.deep.equal([null, 'SIGKILL'])

      const gateway = await startProcess(env)
      await ana.wait(({ raw }) => raw.extendedTextMessage?.text === moment)
      const state = await eventually(async () => {
        const { data } = await gateway.get('/schedule?state=ended', headers)
        return data.Scheduled.find(({ Id }: { Id: string }) => Id === answer.data.Id)?.State
      }, `${moment} has ended`)
      expect(state).to.equal('sent')
      await gateway.end('SIGTERM')
      expect(texts().filter((text) => text === moment)).to.deep.equal([moment])
      expect(ana.failures).to.deep.equal([])
    })
  }
})
