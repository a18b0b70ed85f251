import { expect } from 'chai'
import { temporaryFolder } from '../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { sized } from '../support/run/whole.ts'
import { linkPhone } from '../support/sessions.ts'

const SESSIONS = sized(100, 12)

describe(`SIGTERM with ${SESSIONS} sessions and sends under way`, function () {
  this.timeout(600_000)
  let loose: LooseNetwork | undefined
  let gateway: GatewayProcess | undefined
  after(async () => {
    await gateway?.end('SIGKILL')
    await loose?.network.close()
  })

  it('ends every request clearly, leaves nothing running, and exits 0 in under 10 s', async () => {
    loose = await startNetwork()
    const { phones, card } = loose
    const stopped = await startProcess({
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_BAILEYS_NETWORK: card,
      LOG_LEVEL: 'info',
    })
    gateway = stopped
    const ana = await phones.create({ name: 'Ana' })
    const tokens: { token: string }[] = []
    const link = async (): Promise<void> => {
      tokens.push((await linkPhone(stopped, await phones.create({}))).headers)
    }
    for (let i = 0; i < SESSIONS; i += 4) await Promise.all([link(), link(), link(), link()])

    const answers: Promise<string>[] = tokens.flatMap((token, i) =>
      [0, 1, 2].map((n) =>
        stopped
          .post('/send/text', { Phone: ana.account.phone, Body: 'last words', Id: `s${i}n${n}` }, token)
          .then(
            ({ success, status }) => (success ? `s${i}n${n}` : `refused ${status}`),
            // The connection was not taken any more: nothing was sent.
            () => 'no connection',
          ),
      ),
    )
    await ana.wait(({ fromMe }) => !fromMe)
    const began = Date.now()
    const code = await stopped.end('SIGTERM')
    const took = Date.now() - began
    const outcomes = await Promise.all(answers)
    // Exit 1: the stop took longer than serve.ts allows.
    expect(code, `after ${took} ms:\n${stopped.lines.slice(-10).join('\n')}`).to.equal(0)
    expect(took).to.be.lessThan(10_000)
    expect(stopped.lines.at(-1)).to.include('"stopped"')

    // Whatever was answered as sent is there.
    const acked = outcomes.filter((outcome) => outcome.startsWith('s'))
    const there = new Set(ana.messages().map(({ id }) => id))
    expect(acked.filter((id) => !there.has(id))).to.deep.equal([])
    expect(acked.length).to.be.greaterThan(0)
    expect(
      outcomes.filter((outcome) => !/^(s\d|refused (409|503|504|502)|no connection)/.test(outcome)),
    ).to.deep.equal([])
  })
})
