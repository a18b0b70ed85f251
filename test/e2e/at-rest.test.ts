import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/databases.ts'
import { ADMIN, KEYS } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { startWorld } from '../support/world.ts'

const NEW_KEYS = `k2:${Buffer.alloc(32, 9).toString('base64')}`

describe('what lies on the disk', function () {
  this.timeout(30_000)

  it('tells nothing: no token, no key, no message, no secret; and can be read under a new master key', async () => {
    const dataDir = temporaryFolder()
    const world = await startWorld({ dataDir })
    const session = await world.linked(await world.phone('Ana'))
    const receiver = await startReceiver()
    const { data } = await session.post('/webhook', { WebhookURL: receiver.url })
    const bea = await world.phone('Bea')
    await bea.send(session.phone.account.phone, { Text: 'words-that-came-in' })
    await receiver.wait(({ body }) => body.includes('words-that-came-in'))
    await session.post('/send/text', { Phone: bea.account.phone, Body: 'words-that-went-out' })
    await bea.wait(({ raw }) => raw.extendedTextMessage?.text === 'words-that-went-out')
    await world.stop()
    await receiver.close()

    const stored = everythingIn(dataDir)
    // The needles are of a kind that is found where it stands in clear.
    expect(stored.includes(session.phone.account.phone)).to.equal(true)
    const secrets = [
      session.token,
      data.Secret,
      'words-that-came-in',
      'words-that-went-out',
      'privKey',
      'advSecretKey',
      'currentRatchet',
      ADMIN,
      KEYS.slice(3),
    ]
    for (const needle of secrets) expect(stored.includes(needle), needle).to.equal(false)

    const again = await startWorld({ dataDir, keys: `${NEW_KEYS},${KEYS}` })
    const all = await again.gateway.get('/session/all', { admintoken: ADMIN })
    expect(all.data[0]).to.include({ Token: session.token })
    await again.stop()
    const without = await startWorld({ dataDir, keys: NEW_KEYS })
    expect(await without.gateway.get('/webhook', session.headers)).to.include({ status: 200 })
    await without.stop()
  })

  it('can not be read by a gateway with another key, which says so and starts nothing', async () => {
    const dataDir = temporaryFolder()
    const world = await startWorld({ dataDir })
    await world.gateway.post('/session/init', {}, { admintoken: ADMIN })
    await world.stop()
    const failure = await startWorld({ dataDir, keys: NEW_KEYS }).then(
      () => undefined,
      (error: Error) => error.message,
    )
    expect(failure).to.include('"k1" is missing')
  })
})

function everythingIn(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return Buffer.concat(files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)))
}
