/** `npm run demo`: the gateway's main job from end to end, without a phone or the internet. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { loadConfig } from '../../config/load.ts'
import { createGateway } from '../../kernel/gateway.ts'
import { createLog } from '../../kernel/logging/log.ts'
import { migrations } from '../../migrations/index.ts'
import { callsOf } from '../../test/support/calls.ts'
import { picture } from '../../test/support/picture.ts'
import { startReceiver } from '../../test/support/servers/receiver.ts'

const ADMIN = 'demo-admin-token-0123456789abcdefghijkl'
const dataDir = mkdtempSync(join(tmpdir(), 'wamux-demo-'))
const began = performance.now()

try {
  await demo()
  print(`done: every step went through in ${((performance.now() - began) / 1000).toFixed(1)} s`)
} catch (error) {
  print(`FAILED: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function demo(): Promise<void> {
  const { config, plugins } = await loadConfig({ WAMUX_DATA_DIR: dataDir }, { sandbox: true })
  const gateway = createGateway({
    dataDir: config.dataDir,
    plugins,
    migrations,
    version: 'demo',
    adminToken: ADMIN,
    keys: `k1:${randomBytes(32).toString('base64')}`,
    log: createLog({ level: 'silent' }),
    allowPrivateHosts: ['127.0.0.1'],
  })
  const receiver = await startReceiver()
  try {
    await step('start the gateway and the local network', () => gateway.start())
    await talk(gateway.url, receiver)
  } finally {
    await step('stop everything', async () => {
      await gateway.stop()
      await receiver.close()
    })
  }
}

async function talk(url: string, receiver: Awaited<ReturnType<typeof startReceiver>>): Promise<void> {
  const { post, get } = callsOf({ url })
  const admin = { admintoken: ADMIN }
  const must = async (answer: ReturnType<typeof post>) => {
    const { success, error, data } = await answer
    if (!success) throw new Error(error)
    return data
  }

  const shop = await step('a simulated phone for the shop', () =>
    must(post('/sandbox/phones', { Name: 'Shop' }, admin)),
  )
  const ana = await step('a simulated phone for its customer', () =>
    must(post('/sandbox/phones', { Name: 'Ana' }, admin)),
  )
  const { Token } = await step('create a session', () => must(post('/session/init', { Name: 'shop' }, admin)))
  const token = { token: Token as string }

  const { Secret } = await step('set its webhook', () =>
    must(post('/webhook', { WebhookURL: receiver.url }, token)),
  )
  await step('connect it', () =>
    must(post('/session/connect', { Subscribe: ['Message', 'ReadReceipt'], Immediate: false }, token)),
  )
  const { QRCode } = await step('show the QR code', () => must(get('/session/qr', token)))
  await step("scan the picture with the shop's phone", () =>
    must(post(`/sandbox/phones/${shop.Phone}/scan`, { QRCode }, admin)),
  )
  await step('wait until it is linked and logged in', async () => {
    for (;;) {
      const { data, error } = await get('/session/status', token)
      if (data?.LoggedIn) return
      if (error) throw new Error(error)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })

  const received = async (after: number) => {
    const messages = await must(get(`/sandbox/phones/${ana.Phone}/messages?after=${after}&wait=10`, admin))
    if (messages.Messages.length === 0) throw new Error('the phone received nothing within 10 s')
    return messages.Messages.at(-1)
  }
  await step('send a text', () =>
    must(post('/send/text', { Phone: ana.Phone, Body: 'Your order has left.' }, token)),
  )
  const text = await step("it is decrypted on the customer's phone", () => received(0))
  expectText(JSON.stringify(text), 'Your order has left.')
  await step('send a picture', async () => {
    await must(
      post('/send/image', { Phone: ana.Phone, Image: await picture(), Caption: 'It looks like this' }, token),
    )
  })
  const image = await step('it is decrypted there too', () => received(text.Seq))
  expectText(JSON.stringify(image), 'It looks like this')

  await step('the customer replies', () =>
    must(post(`/sandbox/phones/${ana.Phone}/messages`, { To: shop.Phone, Text: 'Thank you!' }, admin)),
  )
  const reply = await step('the reply reaches the webhook', () =>
    receiver.wait(({ body }) => body.includes('Thank you!')),
  )
  await step('its signature is right', async () => {
    new Webhook(Secret as string).verify(reply.body, reply.headers)
  })
  await step('the customer reads, and the receipt reaches the webhook', async () => {
    await must(post(`/sandbox/phones/${ana.Phone}/actions`, { Action: 'read', Chat: shop.Phone }, admin))
    await receiver.wait(
      ({ body }) => body.includes('"type":"ReadReceipt"') && body.includes('"state":"Read"'),
    )
  })
}

function expectText(where: string, text: string): void {
  if (!where.includes(text)) throw new Error(`expected "${text}", the phone shows ${where.slice(0, 300)}`)
}

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  try {
    const result = await work()
    print(`${(performance.now() - started).toFixed(0).padStart(6)} ms  ${what}`)
    return result
  } catch (error) {
    print(`FAILED     ${what}`)
    throw error
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
