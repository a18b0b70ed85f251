import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { leastCpu } from '../../support/cpu.ts'
import { picture } from '../../support/picture.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

interface Schema {
  type?: string
  enum?: unknown[]
  pattern?: string
  description?: string
  maxLength?: number
  maxItems?: number
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/** Routes whose fields go into a stanza: a message, or a change of a group, a name … */
const WRITING =
  /^\/(send|status)\/|^\/(group\/(create|update|name|description|join)|community\/(create|add)|newsletter\/create|label\/edit|user\/name|contact\/add|message\/(react|edit|delete)|bot\/message|business\/send\/catalog)$/
/** These are uploaded, not sent. */
const FILE = /data URL, base64 or http\(s\) link$|http\(s\) link, data URL or base64$/
const BOUNDED_PATTERN = /\{\d+,\d+\}\$$|\{\d+\}\$$/

describe('length limits', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop())
  })
  after(() => world.stop())

  it('exist for every text field of every route that sends', async () => {
    const answer = await fetch(`${world.gateway.url}/openapi.json`)
    const { paths, components } = (await answer.json()) as {
      components: { schemas: Record<string, Schema> }
      paths: Record<string, { post?: { requestBody?: { content: Record<string, { schema: Schema }> } } }>
    }
    const written = Object.entries(paths).filter(([path, { post }]) => post && WRITING.test(path))
    expect(written).to.have.length.greaterThan(35)
    const unbounded = written.flatMap(([path, { post }]) => {
      const { schema = {} } = Object.values(post?.requestBody?.content ?? {})[0] ?? {}
      return open(schema, path)
    })
    const inner = ['ContextInfo', 'Button', 'ReplyButton', 'ContactCard']
    unbounded.push(...inner.flatMap((name) => open(components.schemas[name] ?? {}, name)))
    expect(unbounded).to.deep.equal([])
  })

  const Phone = () => ana.account.phone
  const Buttons = [{ DisplayText: 'a' }]
  const long = (length: number): string => 'x'.repeat(length)
  const cases: readonly (readonly [path: string, field: string, bound: string, body: () => object])[] = [
    ['/send/text', 'Body', '65536 characters', () => ({ Body: long(65_537) })],
    ['/send/text', 'Body', '65536 characters', () => ({ Body: long(9_000_000) })],
    ['/send/text', 'QuotedText', '65536 characters', () => ({ Body: 'x', QuotedText: long(65_537) })],
    [
      '/send/text',
      'ContextInfo.MentionedJID',
      '1024 items',
      () => ({ Body: 'x', ContextInfo: { MentionedJID: new Array(1025).fill('5511999999999') } }),
    ],
    ['/send/image', 'Caption', '65536 characters', () => ({ Image: 'x', Caption: long(65_537) })],
    [
      '/send/poll',
      'Options.1',
      '1024 characters',
      () => ({ Question: 'q', MaxAnswer: 1, Options: ['a', long(1025)] }),
    ],
    [
      '/send/location',
      'Address',
      '1024 characters',
      () => ({ Latitude: 0, Longitude: 0, Address: long(1025) }),
    ],
    ['/send/contact', 'Vcard', '262144 characters', () => ({ Vcard: `BEGIN:VCARD${long(262_144)}` })],
    ['/send/template', 'Footer', '1024 characters', () => ({ Content: 'x', Buttons, Footer: long(1025) })],
    [
      '/send/template',
      'Buttons.0.Url',
      '2048 characters',
      () => ({
        Content: 'x',
        Buttons: [{ DisplayText: 'a', Type: 'url', Url: `https://a.b/${long(2048)}` }],
      }),
    ],
    [
      '/send/list',
      'List.0.title',
      '1024 characters',
      () => ({ ButtonText: 'b', Desc: 'd', TopText: 't', List: [{ title: long(1025) }] }),
    ],
    ['/status/text', 'Text', '65536 characters', () => ({ Text: long(65_537) })],
    [
      '/group/create',
      'GroupName',
      '100 characters',
      () => ({ GroupName: long(101), Participants: [Phone()] }),
    ],
    ['/user/name', 'Name', '100 characters', () => ({ Name: long(101) })],
  ]
  for (const [path, field, bound, body] of cases) {
    it(`refuse ${field} of ${path} above ${bound}`, async () => {
      const ms = await leastCpu(1000, async () => {
        const isSend = path.startsWith('/send/')
        const answer = await session.post(path, { ...(isSend ? { Phone: Phone() } : {}), ...body() })
        expect(answer).to.include({
          status: 400,
          error: `Invalid ${field}: must NOT have more than ${bound}`,
        })
      })
      expect(ms, 'milliseconds of processor time').to.be.lessThan(1000)
    })
  }

  it('apply to the decoded picture of a thumbnail', async () => {
    const noise = await picture(1200, 1200)
    const padded = Buffer.concat([Buffer.from(noise.split(',')[1] ?? '', 'base64'), Buffer.alloc(300_000)])
    const mp4 = Buffer.from('\0\0\0\u0018ftypisom\0\0\0\0isommp42').toString('base64')
    const JpegThumbnail = padded.toString('base64')
    const answer = await session.post('/send/video', { Phone: Phone(), Video: mp4, JpegThumbnail })
    expect(answer).to.include({ status: 400 })
    expect(answer.error).to.match(/^Invalid JpegThumbnail: it has \d+ bytes, at most 262144 are allowed$/)
  })

  it('apply to the whole message for a quoted message given by the client', async () => {
    const QuotedMessage = { conversation: long(9_000_000) }
    const answer = await session.post('/send/text', {
      Phone: Phone(),
      Body: 'x',
      Id: 'quotes',
      ContextInfo: { StanzaId: 'abc', QuotedMessage },
    })
    expect(answer).to.include({ status: 413 })
    expect(answer.error).to.match(/^ContextInfo.QuotedMessage is too large/)
    const corrected = await session.post('/send/text', { Phone: Phone(), Body: 'x', Id: 'quotes' })
    expect(corrected).to.include({ status: 200 })
  })

  it('accept a text of 65,536 characters, also of several bytes each', async () => {
    const Body = '€'.repeat(65_536)
    const { data } = await session.post('/send/text', { Phone: Phone(), Body })
    const { raw } = await ana.wait(({ id }) => id === data.Id)
    expect(raw.extendedTextMessage?.text).to.equal(Body)
  })
})

/** Where a schema lets in as much as one likes. */
function open(schema: Schema, at: string): string[] {
  const { type, properties = {}, items, anyOf = [], description = '', maxLength } = schema
  const below = [
    ...Object.entries(properties).flatMap(([name, child]) => open(child, `${at} ${name}`)),
    ...(items ? open(items, `${at} items`) : []),
    ...anyOf.flatMap((one) => open(maxLength === undefined ? one : { maxLength, ...one }, at)),
  ]
  if (type === 'array' && schema.maxItems === undefined) return [`${at}: any number`, ...below]
  if (type !== 'string' || schema.enum || FILE.test(description)) return below
  const isBounded = maxLength !== undefined || BOUNDED_PATTERN.test(schema.pattern ?? '')
  return isBounded ? below : [`${at}: any length`, ...below]
}
