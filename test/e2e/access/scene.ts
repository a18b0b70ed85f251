import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { type FileServer, give, startFileServer } from '../../support/servers/file-server.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

/** A text that must not be where it does not belong. */
export interface Canary {
  readonly name: string
  readonly text: string
}

/** A value of somebody else. */
export interface Foreign {
  readonly kind: string
  readonly value: string
  /** What the network says to everybody who asks for the value. */
  readonly isPublic?: boolean
}

/** A session, what a limited key of it may see, and what belongs to others. */
export interface Scene {
  readonly world: World
  readonly session: LinkedSession
  readonly id: string
  /** Limited to Ana and the group with her. */
  readonly limited: Record<string, string>
  readonly ana: Phone
  /** Another chat of the session. */
  readonly bob: Phone
  /** The phone of another session, and somebody who writes with it. */
  readonly other: Phone
  readonly eve: Phone
  /** Replaces the values of examples by those that the limited key may name. */
  real<V>(value: V): V
  /** Of the other chat, for the limited key; of the other session, for both. */
  readonly ofChat: readonly Foreign[]
  readonly ofSession: readonly Foreign[]
  readonly canariesOfChat: readonly Canary[]
  readonly canariesOfSession: readonly Canary[]
  stop(): Promise<void>
}

const [SOON, LATER] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())

export async function startScene(): Promise<Scene> {
  const world = await startWorld({
    profile: 'all',
    without: ['pacing'],
    trustProxy: 1,
    allowPrivateHosts: ['127.0.0.1'],
    config: { schedule: { maxWaiting: 100_000 } },
  })
  const image = await picture()
  const files = await startFileServer({ '/a.jpg': give(image.split(',')[1] ?? '', 'image/jpeg') })
  const [ana, bob, eve] = [
    await world.phone('Ana'),
    await world.phone('Canary Bob'),
    await world.phone('Canary Eve'),
  ]
  const session = await world.linked(await world.phone('Shop', { business: true }))
  const second = await world.linked(await world.phone('Canary Other'))
  await bob.act({ Action: 'setUsername', Text: 'canary.bob' })
  const one = await contentsOf(world, session, bob, image, 'bob')
  const two = await contentsOf(world, second, eve, image, 'eve')
  const group = async (GroupName: string, phone: Phone): Promise<string> => {
    const made = { GroupName, Participants: [phone.account.phone] }
    return (await session.post('/group/create', made)).data.JID
  }
  const [team, others] = [await group('Team', ana), await group('Canary group', bob)]
  const inGroup = await bob.send(others, { Text: 'canary-of-the-group' })
  await logged(session, inGroup)
  const received = await ana.send(session.phone.account.phone, { Text: 'hello' })
  await logged(session, received)
  const write = (more: object) =>
    session.post('/send/text', { Phone: ana.account.phone, Body: 'hi', ...more })
  const { Id: sent } = (await write({})).data
  await write({ SendAt: SOON })
  const { data } = await session.get('/session/summary')
  const id = String(data.Sessions[0].Id)
  const Scopes = ['read', 'send', 'manage']
  const key = await session.post('/keys', { Name: 'limited', Scopes, Chats: [ana.account.phone, team] })
  const ids = (kinds: Contents): Foreign[] => [
    { kind: 'id of a received message', value: kinds.received },
    { kind: 'id of a sent message', value: kinds.sent },
    { kind: 'id of an event or its file', value: kinds.event },
    { kind: 'id of an uploaded file', value: kinds.upload },
    { kind: 'id of a scheduled message', value: kinds.scheduled },
  ]
  const { phone: number, jid, lid } = bob.account
  return {
    ...{ world, session, id, ana, bob, other: second.phone, eve },
    limited: { authorization: `Bearer ${key.data.Key}` },
    real: replacing(ana, { team, sent, received }, files),
    ofChat: [
      { kind: 'number', value: number },
      { kind: 'JID', value: jid },
      { kind: 'LID', value: lid },
      { kind: 'username', value: '@canary.bob', isPublic: true },
      { kind: 'JID of a group', value: others },
      ...ids(one),
      { kind: 'id of a message of a group', value: inGroup },
    ],
    ofSession: [
      { kind: 'id of a session', value: two.session },
      ...ids(two),
      { kind: 'id of a key', value: two.key },
      { kind: 'id of a webhook', value: two.endpoint },
    ],
    canariesOfChat: [
      { name: 'number of Bob', text: number },
      { name: 'LID of Bob', text: lid.split('@')[0] ?? '' },
      { name: 'group with Bob', text: others.split('@')[0] ?? '' },
      { name: 'a name', text: 'Canary' },
      { name: 'a text', text: 'canary-' },
      { name: 'key of a file', text: one.mediaKey },
      { name: 'token of the session', text: session.token },
    ],
    canariesOfSession: [
      { name: 'number of Eve', text: eve.account.phone },
      { name: 'LID of Eve', text: eve.account.lid.split('@')[0] ?? '' },
      { name: 'a text', text: 'canary-of-eve' },
      { name: 'key of a file', text: two.mediaKey },
      { name: 'token of the session', text: second.token },
      { name: 'id of the session', text: two.session },
      { name: 'secret of its webhook', text: two.secret },
    ],
    async stop() {
      await world.stop()
      await files.close()
    },
  }
}

interface Contents {
  readonly session: string
  readonly received: string
  readonly sent: string
  readonly event: string
  readonly mediaKey: string
  readonly upload: string
  readonly scheduled: string
  readonly key: string
  readonly endpoint: string
  readonly secret: string
}

/** What a session has of somebody: messages in both directions, a picture, an upload, and so on. */
async function contentsOf(
  world: World,
  session: LinkedSession,
  phone: Phone,
  image: string,
  name: string,
): Promise<Contents> {
  const { phone: number } = session.phone.account
  const text = `canary-of-${name}`
  const received = await phone.send(number, { Text: text })
  const photo = await phone.send(number, { Message: { image, caption: text } })
  await logged(session, received)
  const event = await logged(session, photo)
  const write = async (more: object): Promise<string> =>
    (await session.post('/send/text', { Phone: phone.account.phone, Body: text, ...more })).data.Id
  const sent = await write({})
  const form = new FormData()
  form.set('messaging_product', 'whatsapp')
  form.set('file', new Blob([Buffer.from(text)], { type: 'text/plain' }), `${text}.txt`)
  const headers = { authorization: `Bearer ${session.token}` }
  const address = `${world.gateway.url}/v23.0/${number}/media`
  const upload = (await (await fetch(address, { method: 'POST', headers, body: form })).json()) as {
    id: string
  }
  const key = await session.post('/keys', { Name: text, Scopes: ['read'] })
  // Of the dead port 9: only its rows matter.
  const hook = { URL: `http://127.0.0.1:9/${text}`, Subscribe: ['CallOffer'] }
  const endpoint = await session.post('/webhook/endpoints', hook)
  const { data } = await session.get('/session/summary')
  return {
    session: String(data.Sessions[0].Id),
    ...{ received, sent, event: event.eventId, mediaKey: event.event.Message.imageMessage.mediaKey },
    ...{ upload: upload.id, scheduled: await write({ SendAt: LATER }), key: key.data.Id },
    ...{ endpoint: endpoint.data.Id, secret: endpoint.data.Secret },
  }
}

async function logged(session: LinkedSession, id: string) {
  return eventually(async () => {
    const { data } = await session.get('/events?class=Message&limit=500')
    const found = data.Events.find(({ event }: { event: { Info: { ID: string } } }) => event.Info.ID === id)
    if (!found) throw new Error('not logged yet')
    return found
  }, `message ${id} logged`)
}

/** Whatever number, group or message an example names becomes one that the limited key may name. */
function replacing(
  ana: Phone,
  own: { team: string; sent: string; received: string },
  files: FileServer,
): <V>(value: V) => V {
  return (value) =>
    JSON.parse(
      JSON.stringify(value)
        .replace(/\d{10,20}@g\.us/g, own.team)
        .replace(/\d{10,20}@lid/g, ana.account.lid)
        .replace(/"55119\d{8}"/g, JSON.stringify(ana.account.phone))
        .replaceAll('3EB0F4A1C2D3E4F5A6B7C8', own.sent)
        .replaceAll('3A1B2C3D4E5F60718293', own.received)
        .replace(/https:\/\/example\.com\/(picture\.jpg|video\.mp4|voice\.ogg)/g, `${files.url}/a.jpg`),
    )
}

export { admin }
