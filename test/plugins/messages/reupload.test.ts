import { expect } from 'chai'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import type { Body, Hook } from './hook.ts'
import { openShop, type Shop } from './shop.ts'

const INLINE = 1_000
const SILENCE_MS = 3_000

const asker = definePlugin({
  name: 'asker',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/asker/file', {
      summary: 'The file of a message',
      body: T.Object({ Id: T.String({ format: 'id' }) }),
      async handle({ body, viewer, session: { socket } }) {
        const message = await socket.message({ id: body.Id }, viewer)
        return { File: message && (await socket.download(message)).toString('base64') }
      },
    }),
  ],
})

describe('files that have expired on the media host', () => {
  let world: World
  let session: LinkedSession
  let hook: Hook
  let ana: Phone
  let close: Shop['close']
  before(async () => {
    ;({ world, session, hook, ana, close } = await openShop({
      extra: [asker],
      config: { messages: { inlineBytes: INLINE }, baileys: { reuploadTimeoutMs: SILENCE_MS } },
    }))
  })
  after(() => close())
  afterEach(() => world.fault({ Fault: 'clear' }))

  const act = (Action: string) => session.phone.act({ Action })
  const stored = () => (world.gateway.service('sandbox').network.view()['Media'] as { files: number }).files

  interface Expired {
    id: string
    body: Body
    bytes: Buffer
    /** For `/message/downloaddocument`. */
    fields: Record<string, unknown>
  }

  /** A document that Ana sent, that the shop's phone and session have heard of, and that has expired since. */
  async function expired(size = INLINE + 1, chat = session.phone.account.phone): Promise<Expired> {
    const bytes = Buffer.alloc(size, `file ${Math.random()} `)
    const document = `data:text/plain;base64,${bytes.toString('base64')}`
    const id = await ana.send(chat, { Message: { document } })
    const body = await hook.message(id)
    await session.phone.wait((message) => message.id === id)
    world.fault({ Fault: 'expireMedia' })
    const part = body.event.Message.documentMessage
    const fields = {
      Url: part.URL,
      DirectPath: part.directPath,
      MediaKey: part.mediaKey,
      FileEncSHA256: part.fileEncSHA256,
      FileSHA256: part.fileSHA256,
    }
    return { id, body, bytes, fields }
  }
  const download = (fields: object) => session.post('/message/downloaddocument', fields)
  const dataOf = ({ data }: Body) => Buffer.from(data.Data.split(',')[1], 'base64')

  it('are uploaded again by the phone, once for concurrent requests', async () => {
    const { id, bytes, fields } = await expired()
    const answers = await Promise.all([1, 2, 3].map(() => download({ ...fields, Id: id })))
    for (const answer of answers) {
      expect(answer.status, answer.error).to.equal(200)
      expect(dataOf(answer).equals(bytes)).to.equal(true)
    }
    expect(stored()).to.equal(1)
  })

  it('are downloaded from their new location without the phone', async () => {
    const { id, bytes, fields } = await expired()
    expect(await download({ ...fields, Id: id })).to.include({ status: 200 })
    await act('switchOff')
    const again = await download(fields)
    await act('switchOn')
    expect(again.status, again.error).to.equal(200)
    expect(dataOf(again).equals(bytes)).to.equal(true)
  })

  it('are uploaded again as often as they expire', async () => {
    const { id, bytes, fields } = await expired()
    expect(await download({ ...fields, Id: id })).to.include({ status: 200 })
    world.fault({ Fault: 'expireMedia' })
    const again = await download({ ...fields, Id: id })
    expect(again.status, again.error).to.equal(200)
    expect(dataOf(again).equals(bytes)).to.equal(true)
  })

  it('are uploaded again for the link of an event', async () => {
    const { body, bytes } = await expired()
    const answer = await fetch(world.gateway.url + body.mediaUrl)
    expect(answer.status).to.equal(200)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).to.equal(true)
  })

  it('are uploaded again for the delivery of the event', async () => {
    const { body, bytes } = await expired(100)
    const attachments = world.gateway.service('attachments')
    const line = { seq: Number.MAX_SAFE_INTEGER, session: body.userID, type: 'Message', body }
    expect(await attachments.attach(line)).to.include({ base64: bytes.toString('base64') })
  })

  it('are uploaded again for a plugin that has the message', async () => {
    const { id, bytes } = await expired()
    const answer = await session.post('/asker/file', { Id: id })
    expect(answer.status, answer.error).to.equal(200)
    expect(answer.data).to.deep.equal({ File: bytes.toString('base64') })
  })

  it('are uploaded again in a group, with the author of the message', async () => {
    const { GroupJID } = (await ana.act({
      Action: 'createGroup',
      Text: 'files',
      Participants: [session.phone.account.phone],
    })) as { GroupJID: string }
    const { id, bytes, fields, body } = await expired(INLINE + 1, GroupJID)
    const { Chat, Sender } = body.event.Info
    const answer = await download({ ...fields, Id: id, Chat, Sender })
    expect(answer.status, answer.error).to.equal(200)
    expect(dataOf(answer).equals(bytes)).to.equal(true)
  })

  it('answer 404 without a message id', async () => {
    const { fields } = await expired()
    expect(await download(fields)).to.include({ status: 404, error: 'File not found' })
    expect(await download({ ...fields, Id: '3EBUNKNOWN' })).to.include({
      status: 404,
      error: 'File not found',
    })
  })

  it('answer 410 if the phone no longer has the file', async () => {
    const { id, fields } = await expired()
    await act('clearStorage')
    const answer = await download({ ...fields, Id: id })
    expect(answer).to.include({ status: 410 })
    expect(answer.error).to.equal('The file has expired: neither the media host nor the phone still has it')
  })

  it('answer 410 if the phone has no such message', async () => {
    const { fields } = await expired()
    const answer = await download({ ...fields, Id: '3EB0NONE', Chat: ana.account.phone })
    expect(answer).to.include({ status: 410 })
  })

  it('answer 502 if the phone fails to upload', async () => {
    const { id, bytes, fields } = await expired()
    world.fault({ Fault: 'refuseUploads' })
    const answer = await download({ ...fields, Id: id })
    expect(answer).to.include({
      status: 502,
      error: 'Failed to have the file uploaded again: the phone could not do it',
    })
    world.fault({ Fault: 'clear' })
    expect(dataOf(await download({ ...fields, Id: id })).equals(bytes)).to.equal(true)
  })

  it('are refused for another key than that of the message', async () => {
    const { id, fields } = await expired()
    const MediaKey = Buffer.alloc(32, 1).toString('base64')
    const answer = await download({ ...fields, MediaKey, Id: id })
    expect(answer).to.include({
      status: 400,
      error: 'Invalid MediaKey: is not the key of the message, according to the phone',
    })
  })

  it('answer 504 after the configured time-out', async () => {
    const { id, bytes, fields } = await expired()
    await act('switchOff')
    const before = Date.now()
    const answer = await download({ ...fields, Id: id })
    expect(answer).to.include({ status: 504, error: 'WhatsApp did not answer in time' })
    expect(Date.now() - before).to.be.within(SILENCE_MS - 50, SILENCE_MS + 30_000)
    await act('switchOn')
    expect(dataOf(await download({ ...fields, Id: id })).equals(bytes)).to.equal(true)
  })

  it('answer at once if the link is lost', async () => {
    const { id, fields } = await expired()
    await act('switchOff')
    const asked = world.counters()['receipts'] ?? 0
    const begun = Date.now()
    const answer = download({ ...fields, Id: id })
    await eventually(() => world.counters()['receipts'] !== asked, 'asked')
    world.fault({ Phone: session.phone.account.phone, Fault: 'drop' })
    expect(await answer).to.include({ status: 504 })
    expect(Date.now() - begun).to.be.below(SILENCE_MS - 200)
    await act('switchOn')
  })
})
