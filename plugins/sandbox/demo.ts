/** `npm run demo`: the gateway's main job from end to end, without a phone or the internet. */
import { Webhook } from 'standardwebhooks'
import { startTestGateway, type TestGateway } from './testing/gateway.ts'
import { type Receiver, startReceiver } from './testing/receiver.ts'

/** A red square of 16 × 16 pixels. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mM4YaNBEmIY1TCqYfhqAAAeBCwQMd+aqQAAAABJRU5ErkJggg=='
const began = performance.now()

try {
  await demo()
  print(`done: every step went through in ${((performance.now() - began) / 1000).toFixed(1)} s`)
} catch (error) {
  print(`FAILED: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}

async function demo(): Promise<void> {
  const gateway = await step('start the gateway and the local network', () =>
    startTestGateway({ plugins: [] }),
  )
  const receiver = await startReceiver()
  try {
    await talk(gateway, receiver)
  } finally {
    await step('stop everything', async () => {
      await gateway.stop()
      await receiver.close()
    })
  }
}

async function talk({ post, get, admin }: TestGateway, receiver: Receiver): Promise<void> {
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
      post('/send/image', { Phone: ana.Phone, Image: PICTURE, Caption: 'It looks like this' }, token),
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
