import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { RECEIVED_SAMPLES } from '../../plugins/messaging/samples.ts'
import { eventually } from '../support/eventually.ts'
import { type Document, type Operation, openApiOf } from '../support/openapi.ts'
import { type FileServer, give, startFileServer } from '../support/servers/file-server.ts'
import { type Receiver, startReceiver } from '../support/servers/receiver.ts'
import { type Scene, startScene } from './scene.ts'

/** What no request alone can do: it needs the cookie of a browser, a passkey, or a link that was signed for it. */
const ELSEWHERE =
  /^(POST|GET|DELETE) (\/link\/\{token\}(\/.+)?|\/session\/passkey.*|\/sandbox\/.*\/passkey\/.*|\/media\/\{seq\}|\/events\/(global\/)?socket|\/sandbox\/phones\/\{phone\}\/messages\/.*|\/dashboard(\/.*)?)$/

/** Others use what these make. */
const FIRST = ['POST /label/edit', 'POST /session/pair', 'POST /webhook/global', 'POST /keys']
/** And not what these remove. */
const LAST = [
  ...['POST /message/delete', 'POST /status/delete', 'POST /user/block', 'POST /user/unblock'],
  'DELETE /user/username',
  ...['DELETE /webhook/global', 'DELETE /keys/{id}', 'POST /session/token', 'POST /session/{id}/token'],
  'POST /session/delete',
]

describe('the OpenAPI document', function () {
  this.timeout(240_000)
  let scene: Scene
  let files: FileServer
  let receiver: Receiver
  let document: Document
  before(async () => {
    scene = await startScene()
    receiver = await startReceiver()
    const base64 = (dataUrl: string): string => dataUrl.split(',')[1] ?? ''
    files = await startFileServer({
      '/picture.png': give(base64(scene.image), 'image/jpeg'),
    })
    await scene.begin()
    document = await openApiOf(scene.world.gateway.url)
  })
  after(async () => {
    await scene.stop()
    await receiver.close()
    await files.close()
  })

  it('is valid OpenAPI 3.1, and describes every operation with a name, words and an example', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document.json))
    expect(errors ?? []).to.deep.equal([])
    expect(valid).to.equal(true)
    const { operations } = document
    expect(operations.length).to.be.greaterThan(150)
    expect(new Set(operations.map(({ operationId }) => operationId)).size).to.equal(operations.length)
    const silent = operations.filter((operation) => {
      const { operationId, description, requestBody } = operation
      const hasExample = !requestBody?.required || requestBody.content['application/json']?.example
      const isName = /^[a-z][A-Za-z0-9]+$/.test(operationId)
      return !isName || !description || !(hasExample || ELSEWHERE.test(nameOf(operation)))
    })
    expect(silent.map(nameOf)).to.deep.equal([])
  })

  it('refers to what it repeats, and names the codes of every error', () => {
    const { schemas, responses } = document.json['components'] as Record<string, Record<string, unknown>>
    expect(schemas).to.include.keys('Error', 'Sent', 'Done', 'ContextInfo', 'Group')
    const text = JSON.stringify(document.json)
    for (const [, kind, name] of text.matchAll(/"#\/components\/(schemas|responses)\/(\w+)"/g))
      expect(kind === 'schemas' ? schemas : responses, name).to.have.property(name ?? '')
    const refused = JSON.stringify(responses?.['Error409'])
    expect(refused).to.include('NO_CLIENT').and.include('NOT_LOGGED_IN').and.not.include('TOKEN_INVALID')
    expect(text).not.to.include('PLUGIN_MISSING')
    const send = document.operations.find(({ path }) => path === '/send/text')
    expect(send?.responses).to.include.keys('200', '202', '400', '401', '409', '422', '504')
    const stream = document.operations.find(({ path }) => path === '/events/stream')
    expect(stream?.responses['200']?.content).to.have.all.keys('text/event-stream')
  })

  it('has examples that succeed, with answers as it describes them', async () => {
    const real = await valuesOf(scene, files, receiver)
    const place = ({ method, path }: Operation): number => {
      const name = `${method} ${path}`
      return FIRST.includes(name) ? -1 : LAST.indexOf(name) + 1
    }
    const operations = document.operations
      .filter((operation) => !ELSEWHERE.test(nameOf(operation)))
      .sort((a, b) => place(a) - place(b))
    const failures: string[] = []
    for (const operation of operations) {
      await real.prepare(nameOf(operation))
      const fault = await send(scene, document, operation, real)
      if (fault) failures.push(fault)
    }
    expect(failures, failures.join('\n')).to.deep.equal([])
  })

  it('describes its errors too', async () => {
    const { gateway } = scene.world
    const send = document.operations.find(({ path }) => path === '/send/text') as Operation
    const answers = [
      await gateway.post('/send/text', {}, scene.shop.headers),
      await gateway.post('/send/text', {}, {}),
      await gateway.post('/send/text', { Phone: '1', Body: 'x' }, scene.spare[0].headers),
    ]
    expect(answers.map(({ errorCode }) => errorCode)).to.deep.equal([
      'FIELD_MISSING',
      'TOKEN_INVALID',
      'NO_CLIENT',
    ])
    for (const { status, ...body } of answers) document.assertFits(send, status, body)
  })
})

interface Real {
  /** Replaces the values of the examples by those of the scene. */
  of<V>(value: V): V
  /** Headers of the caller of this operation; undefined for the usual. */
  headersOf(name: string): Record<string, string> | undefined
  paramOf(path: string, name: string): string
  /** What an operation needs beside the scene. */
  prepare(name: string): Promise<void>
}

async function valuesOf(scene: Scene, files: FileServer, receiver: Receiver): Promise<Real> {
  const { ana, shop, stranger, groups, world, admin } = scene
  const { gateway } = world
  const values = new Map([
    ['5511999999999', ana.account.phone],
    ['5511988888888', stranger.account.phone],
    ['5511955555555', shop.phone.account.phone],
    ['999999999911557@lid', ana.account.lid],
    ['120363041234567890@g.us', groups[0]],
    ['120363049876543210@g.us', groups[1]],
    ['120363042222222222@g.us', scene.left],
    ['120363047777777777@g.us', scene.community],
    ['120363171234567890@newsletter', scene.newsletter.JID],
    ['0029VaAbCdEfGhIjKlMnOp1Q', scene.newsletter.Code],
    ['120363172222222222@newsletter', scene.newsletters[0]],
    ['120363173333333333@newsletter', scene.newsletters[1]],
    ['120363174444444444@newsletter', scene.newsletters[2]],
    ['HfKQ5PmU3DmBDJvL0XzWrC', scene.invite],
    ['3EB0F4A1C2D3E4F5A6B7C8', scene.sent],
    ['3A1B2C3D4E5F60718293', scene.received],
    ['3A1B2C3D4E5F60718298', scene.poll],
    ['3A1B2C3D4E5F60718299', scene.event],
    ['3A1B2C3D4E5F6071829A', scene.fleeting],
    ['3EB0F4A1C2D3E4F5A6B7C9', scene.ownEvent],
    ['3A1B2C3D4E5F6071829B', scene.invitation],
    ['3A1B2C3D4E5F60718260', scene.post],
    ['3A1B2C3D4E5F60718296', scene.voice],
    ['3EB0F4A1C2D3E4F5A6B7D0', scene.ownPost],
    ['8B2F3C4D5E6F708192A3B4C5D6E7F809', scene.call],
    ['1764201600', scene.quickReply],
    ['7042371865887654', scene.product],
    ['6912345678901234', scene.oldProduct],
    ['1234567890123456', scene.order.orderId],
    ['AR5vZW1hOUxMUjU2', scene.order.token],
    ['0f8fad5bd9cb469fa16570867728950e', scene.fresh[1].token],
    ['https://shop.example/picture.png', `${files.url}/picture.png`],
    ['https://shop.example/hook', receiver.url],
    ['https://shop.example/crm', receiver.url],
  ])
  const { data: sessions } = await gateway.get('/session/all', admin)
  const fresh = sessions.find(({ Token }: { Token: string }) => Token === scene.fresh[0].token)
  const params: Record<string, string> = {
    ...{ phone: ana.account.phone, id: fresh.Id },
    ...{ plugin: 'contributor', queue: 'contributor.work', chat: shop.phone.account.phone },
  }
  const [one, two, three] = scene.spare
  const headers: Record<string, Record<string, string>> = {
    'POST /session/connect': scene.fresh[0],
    'GET /session/qr': scene.fresh[1],
    'POST /session/pair': scene.fresh[2],
    'POST /session/link-page': scene.fresh[2],
    'DELETE /session/link-page': scene.fresh[2],
    'POST /session/disconnect': one.headers,
    'POST /session/logout': two.headers,
    'POST /session/delete': { ...admin, ...three.headers },
    'POST /keys': shop.headers,
    'POST /session/token': scene.fresh[2],
  }
  const keyId = async (): Promise<string> => (await gateway.get('/keys', admin)).data.Keys[0].Id
  return {
    of: (value) => {
      let text = JSON.stringify(value ?? null)
      for (const [sample, real] of values) text = text.replaceAll(sample, real)
      return JSON.parse(text)
    },
    headersOf: (name) => headers[name],
    paramOf(path, name) {
      if (path.startsWith('/plugins/') && name === 'file') return 'page.js'
      if (path.startsWith('/docs/{folder}')) return name === 'folder' ? 'errors' : 'FIELD_MISSING'
      if (name === 'file') return path.startsWith('/docs') ? 'init.js' : 'link-page.css'
      return params[name] ?? ''
    },
    async prepare(name) {
      const kind = /download(\w+)/.exec(name)?.[1]
      if (kind) for (const [sample, real] of await fileOf(scene, kind)) values.set(sample, real)
      if (name.endsWith('/phones/{phone}/pair')) {
        const other = await world.phone('Pairing')
        const { data } = await gateway.post('/session/pair', { Phone: other.account.phone }, scene.fresh[2])
        values.set('ABCD1234', data.LinkingCode)
        params['phone'] = other.account.phone
      } else if (name.endsWith('/phones/{phone}/scan')) {
        params['phone'] = (await world.phone('Scanning')).account.phone
      } else params['phone'] = ana.account.phone
      params['name'] = 'webhook'
      params['id'] = name.includes('/keys/')
        ? await keyId()
        : name === 'GET /send/{id}'
          ? scene.sent
          : name === 'GET /polls/{id}'
            ? scene.poll
            : name === 'GET /status/posted/{id}'
              ? scene.ownPost
              : fresh.Id
      if (/ \/webhook\/global(\/(secret|replay|test))?$/.test(name) && name !== 'POST /webhook/global') {
        const { data } = await gateway.get('/webhook/global', admin)
        values.set('7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e', data.Endpoints.at(-1).Id)
      }
      if (name.endsWith('/attempts') || name === 'POST /webhook/preview') {
        const { data } = await gateway.get('/events/history?limit=1', shop.headers)
        values.set('evt_fe5r7qaxkwpwlxn2o3wyq2mgcv', data.Events[0].eventId)
      }
      if (name === 'DELETE /webhook/endpoints') {
        const { data } = await gateway.get('/webhook/endpoints', shop.headers)
        values.set('7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e', data.Endpoints.at(-1).Id)
      }
    },
  }
}

/** Where a file that Ana has sent is, as its event says. */
async function fileOf(
  { ana, shop, image, video, audio, world }: Scene,
  kind: string,
): Promise<[string, string][]> {
  const messages: Record<string, Record<string, unknown>> = {
    image: { image },
    video: { video },
    audio: { audio, mimetype: 'audio/ogg; codecs=opus' },
    document: { document: image, mimetype: 'image/jpeg', fileName: 'a.jpg' },
  }
  const id = await ana.send(shop.phone.account.phone, { Message: messages[kind] ?? {} })
  const found = await eventually(async () => {
    const { data } = await world.gateway.get('/events?class=Message&limit=500', shop.headers)
    const one = data.Events.find(({ event }: { event: { Info: { ID: string } } }) => event.Info.ID === id)
    if (!one) throw new Error('not logged yet')
    return one.event.Message[`${kind}Message`]
  }, `the event of the ${kind}`)
  const { path, mediaKey, encSha256, sha256 } = RECEIVED_SAMPLES[kind as keyof typeof RECEIVED_SAMPLES]
  return [
    [`https://mmg.whatsapp.net${path}`, found.URL],
    [mediaKey, found.mediaKey],
    [encSha256, found.fileEncSHA256],
    [sha256, found.fileSHA256],
  ]
}

/** Sends the example; returns what is wrong with the answer. */
async function send(scene: Scene, document: Document, operation: Operation, real: Real): Promise<string> {
  const { method, path, parameters, requestBody, responses, security } = operation
  const name = nameOf(operation)
  const usual = security.some((one) => 'admin' in one) ? scene.admin : scene.shop.headers
  const headers = real.headersOf(name) ?? (security.length > 0 ? usual : {})
  const query = new URLSearchParams()
  for (const parameter of parameters)
    if (parameter.in === 'query' && parameter.example !== undefined)
      query.set(parameter.name, String(real.of(parameter.example)))
  const place = path.replace(/\{(\w+)\}/g, (_, param) => real.paramOf(path, param))
  const body = requestBody && (real.of(requestBody.content['application/json']?.example) ?? {})
  const stop = new AbortController()
  const response = await fetch(`${scene.world.gateway.url}${place}?${query}`, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: stop.signal,
  })
  const [type = ''] = Object.keys(responses['200']?.content ?? {})
  const got = response.headers.get('content-type') ?? ''
  if (type !== 'application/json' || path.endsWith('.json')) {
    stop.abort()
    const isAsSaid = type === 'application/octet-stream' || got.startsWith(type)
    return response.status === 200 && isAsSaid ? '' : `${name}: ${response.status} ${got}`
  }
  const answer = (await response.json()) as { error?: string; details?: string }
  if (response.status !== 200) return `${name}: ${response.status} ${answer.error} ${answer.details ?? ''}`
  try {
    document.assertFits(operation, 200, answer)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`
}
