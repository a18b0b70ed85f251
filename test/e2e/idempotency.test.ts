import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../support/calls.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { linkPhone, sessionOf } from '../support/sessions.ts'

describe('a gateway that dies while it sends', function () {
  this.timeout(300_000)
  let loose: LooseNetwork
  let env: Record<string, string>
  let shop: Phone
  let ana: Phone
  let token: { token: string }
  let gateway: GatewayProcess

  const life = async (moment: string, nth: number): Promise<GatewayProcess> => {
    const crash = { CRASH_AT: moment, CRASH_NTH: String(nth) }
    const started = await startProcess({ ...env, ...crash }, 'start', ['./test/crash/killer.ts'])
    await sessionOf(started, token.token, shop).status({ LoggedIn: true })
    return started
  }
  const text = (gateway: GatewayProcess, Body: string, headers: Record<string, string>): Promise<Answer> =>
    gateway.post('/send/text', { Phone: ana.account.phone, Body }, { ...token, ...headers })
  const onPhone = (): string[] =>
    ana
      .messages()
      .filter(({ fromMe }) => !fromMe)
      .map(({ raw }) => raw.extendedTextMessage?.text ?? '')

  before(async () => {
    loose = await startNetwork()
    env = { WAMUX_DATA_DIR: temporaryFolder(), WAMUX_BAILEYS_NETWORK: loose.card }
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await loose.phones.create({ name: 'Ana' })
    gateway = await startProcess(env)
    token = (await linkPhone(gateway, shop)).headers
    await text(gateway, 'hello', {})
    await gateway.end('SIGTERM')
    gateway = await life('after:outgoing-row', 1)
  })
  after(async () => {
    await gateway.end('SIGTERM')
    await loose.network.close()
  })

  /** Each life ends at the next moment; what the one before left unfinished passes it first. */
  const LIVES: readonly (readonly [moment: string, next: string, nth: number])[] = [
    ['after:outgoing-row', 'after:relay', 2],
    ['after:relay', 'after:ack', 2],
    ['after:ack', 'after:sent', 2],
    ['after:sent', 'after:outgoing-row', 4],
  ]
  for (const [moment, next, nth] of LIVES) {
    it(`${moment}: the repetition of the request answers the one message that went out`, async () => {
      const key = { 'Idempotency-Key': `dies-${moment}` }
      const cut = await text(gateway, moment, key).catch(() => 'cut off')
      // The answer does not wait for the outcome to be stored.
      if (moment !== 'after:sent') expect(cut).to.equal('cut off')
      await gateway.ended

      gateway = await life(next, nth)
      // It may be on its way again already.
      const answer = await eventually(async () => {
        const answered = await text(gateway, moment, key)
        return answered.status !== 409 && answered
      }, 'answered')
      expect(answer).to.include({ status: 200 })
      const got = await ana.wait(({ raw }) => raw.extendedTextMessage?.text === moment)
      expect(answer.data.Id).to.equal(got.id)
      const again = await text(gateway, moment, key)
      expect(again.data).to.deep.equal(answer.data)
      expect(await text(gateway, 'something else', key)).to.include({ status: 422 })
      expect(onPhone().filter((one) => one === moment)).to.have.length(1)
      // Waits until the outcome is stored: the next life is to be killed by what is sent in it.
      expect((await gateway.get(`/send/${got.id}`, token)).data).to.include({ Status: 'Sent' })
    })
  }

  it('sends what it had accepted, in order and once, when it is back', async () => {
    const texts = ['first', 'second', 'third', 'fourth']
    const outcomes: (number | string)[] = []
    for (const one of texts) {
      const answer = await text(gateway, one, { Prefer: 'respond-async' }).catch(() => undefined)
      outcomes.push(answer?.status ?? 'cut off')
    }
    expect(outcomes).to.deep.equal([202, 202, 202, 'cut off'])
    await gateway.ended

    gateway = await life('never', 1)
    await ana.wait(({ raw }) => raw.extendedTextMessage?.text === 'fourth')
    expect(onPhone().filter((one) => texts.includes(one))).to.deep.equal(texts)
    expect(ana.failures).to.deep.equal([])
  })
})
