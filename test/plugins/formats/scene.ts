import { readdirSync, readFileSync } from 'node:fs'
import { RECEIVED_SAMPLES } from '../../../plugins/messaging/index.ts'
import type { Engine } from '../../support/databases.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, openShop, type Shop } from '../../support/world.ts'
import { type Difference, differences } from './shape.ts'

// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
export type Body = any

/** A shop with a webhook in a format, and what its receiver has read. */
export interface Scene extends Shop {
  readonly receiver: Receiver
  /** Number of the shop, and of Ana. */
  readonly shop: string
  readonly number: string
  readonly endpoint: { Id: string; Secret: string }
  /** The first body that matches, past or coming. */
  body(matches: (body: Body) => boolean): Promise<Body>
  say(Text: string): Promise<string>
  stop(): Promise<void>
}

export interface Fixture {
  readonly name: string
  readonly body: Body
}

/** The base address of links, of which receivers get theirs. */
export const PUBLIC_URL = 'https://gateway.example'

export async function openScene(
  Format: string,
  engine: Engine,
  read: (text: string) => Body = JSON.parse,
): Promise<Scene> {
  const config = { messages: { publicUrl: PUBLIC_URL } }
  const shop = await openShop({ config, ...engine.fresh() }, engine)
  const { session, ana, world } = shop
  const receiver = await startReceiver()
  const { data } = await session.post('/webhook/endpoints', { URL: receiver.url, Format })
  return {
    ...shop,
    receiver,
    shop: session.phone.account.phone,
    number: ana.account.phone,
    endpoint: data,
    async body(matches) {
      const found = await receiver.wait((delivery) => matches(read(delivery.body)))
      return read(found.body)
    },
    say: (Text) => ana.send(session.phone.account.phone, { Text }),
    async stop() {
      await world.stop()
      await receiver.close()
    },
  }
}

export function fixturesOf(format: string): Fixture[] {
  const folder = new URL(`fixtures/${format}/`, import.meta.url)
  return readdirSync(folder).map((file) => ({
    name: file.replace('.json', ''),
    body: JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
  }))
}

/** What the README of the plugin lists as not available, by format. */
export function unavailableIn(format: string): Set<string> {
  const readme = readFileSync(new URL('../../../plugins/formats/README.md', import.meta.url), 'utf8')
  const [, section = ''] = readme.split('## Not available')
  const rows = section.split('\n').flatMap((line) => {
    const [, formats = '', fields = ''] = line.split('|')
    return formats.includes(`\`${format}\``)
      ? [...fields.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? '')
      : []
  })
  return new Set(rows)
}

/** Bodies of everything that the documents of a gateway have a body for, made on the local network, by fixture. */
export async function madeBodies(scene: Scene, is: Matchers): Promise<Record<string, Body>> {
  const { session, ana, shop, number, say, body } = scene
  const send = (Message: object): Promise<string> =>
    ana.send(shop, { Message: { messageContextInfo: { messageSecret: SECRET }, ...Message } })
  const made: Record<string, Body> = {}
  const text = await send({ conversation: 'Hi there!' })
  made['text'] = await body(is.message(text))
  const image = { image: RECEIVED_SAMPLES.image.file, caption: 'hello' }
  made['image'] = await body(is.message(await ana.send(shop, { Message: image })))
  const { data: question } = await session.post('/send/text', { Phone: number, Body: 'Question?' })
  made['own'] = await body(is.message(question.Id))
  const contextInfo = {
    stanzaId: question.Id,
    participant: session.phone.account.jid,
    quotedMessage: { conversation: 'Question?' },
  }
  made['reply'] = await body(is.message(await send({ extendedTextMessage: { text: 'Yes!', contextInfo } })))
  const locationMessage = { degreesLatitude: -23.5, degreesLongitude: -46.6, name: 'Office' }
  made['location'] = await body(is.message(await send({ locationMessage })))
  const contactMessage = { displayName: 'Jane', vcard: 'BEGIN:VCARD\nVERSION:3.0\nFN:Jane\nEND:VCARD' }
  made['contact'] = await body(is.message(await send({ contactMessage })))
  const options = [{ optionName: 'Good' }, { optionName: 'Bad' }]
  const poll = { name: 'How are you?', options, selectableOptionsCount: 1 }
  made['poll'] = await body(is.message(await send({ pollCreationMessageV3: poll })))
  await ana.act({ Action: 'react', Id: question.Id, Text: '👍' })
  made['reaction'] = await body(is.reaction)
  await ana.act({ Action: 'read', Chat: shop, Id: question.Id })
  made['receipt'] = await body(is.read(question.Id))
  const first = await say('first')
  await body(is.message(first))
  await ana.act({ Action: 'edit', Id: first, Text: 'second' })
  if (is.edit) made['edit'] = await body(is.edit)
  await ana.act({ Action: 'revoke', Id: text })
  if (is.revoke) made['revoke'] = await body(is.revoke)
  const { data: asked } = await session.post('/send/poll', {
    Phone: number,
    Question: 'Which?',
    MaxAnswer: 1,
    Options: ['One', 'Two'],
  })
  await ana.wait(({ id }) => id === asked.Id)
  await ana.act({ Action: 'vote', Id: asked.Id, Data: { Options: ['Two'] } })
  if (is.vote) made['vote'] = await body(is.vote)
  await ana.act({ Action: 'typing', Chat: shop })
  made['presence'] = await body(is.presence)
  const { JID } = await ana.act({ Action: 'createGroup', Text: 'Team', Participants: [shop] })
  const group = await ana.send(String(JID), {
    Message: { conversation: 'Hi all', messageContextInfo: { messageSecret: SECRET } },
  })
  made['group'] = await body(is.message(group))
  return made
}

/** The body about the QR code of another session, which is not linked. */
export async function qrBody(scene: Scene, Format: string, is: (body: Body) => boolean): Promise<Body> {
  const { gateway } = scene.world
  const { data } = await gateway.post('/session/init', { Name: 'new' }, admin)
  const headers = { token: data.Token }
  await gateway.post('/webhook/endpoints', { URL: scene.receiver.url, Format }, headers)
  await gateway.post('/session/connect', {}, headers)
  return scene.body(is)
}

/** How a receiver recognises the bodies. */
export interface Matchers {
  message(id: string): (body: Body) => boolean
  read(id: string): (body: Body) => boolean
  readonly reaction: (body: Body) => boolean
  readonly presence: (body: Body) => boolean
  readonly edit?: (body: Body) => boolean
  readonly revoke?: (body: Body) => boolean
  readonly vote?: (body: Body) => boolean
}

const SECRET = Buffer.alloc(32, 7).toString('base64')

/** The differences between what was made and the fixtures, without what the README says; and what it says in vain. */
export function compare(
  format: string,
  made: Record<string, Body>,
): { differences: string[]; idle: string[] } {
  const listed = unavailableIn(format)
  const seen = new Set<string>()
  const found = fixturesOf(format).flatMap(({ name, body }) => {
    if (!(name in made)) return [`${name}: not made`]
    return differences(made[name], body)
      .filter(({ path }) => !(listed.has(path) && seen.add(path)))
      .map(({ path, what }: Difference) => `${name}: ${path} ${what}`)
  })
  return { differences: found, idle: [...listed].filter((path) => !seen.has(path)) }
}
