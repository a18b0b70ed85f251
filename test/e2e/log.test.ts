import { expect } from 'chai'
import { createLog } from '../../kernel/logging/log.ts'
import type { Route, TSchema } from '../../kernel/plugin.ts'
import { ADMIN, KEYS } from '../support/gateway.ts'
import { picture } from '../support/picture.ts'
import { startReceiver } from '../support/servers/receiver.ts'
import { admin, startWorld } from '../support/world.ts'

type Shape = TSchema & { type?: string; properties?: Record<string, Shape>; items?: Shape; anyOf?: Shape[] }

const WORDS = 'words-that-must-stay-secret'
const FILE = Buffer.from('a-file-that-must-stay-secret '.repeat(9)).toString('base64')

/** A body that says the secret words wherever it can say anything. */
function telling(shape: Shape | undefined, name = ''): unknown {
  if (!shape) return undefined
  if (shape.anyOf) return telling(shape.anyOf[0], name)
  if (shape.type === 'array') return [telling(shape.items, name)]
  if (shape.type === 'boolean') return true
  if (shape.type === 'integer' || shape.type === 'number') return 1
  if (shape.properties)
    return Object.fromEntries(
      Object.entries(shape.properties).map(([field, inner]) => [field, telling(inner, field)]),
    )
  if (shape.type === 'object') return { [WORDS]: WORDS }
  return /^(image|audio|video|document|sticker|media)$/i.test(name) ? `data:image/png;base64,${FILE}` : WORDS
}

describe('the log at its loudest', () => {
  it('cuts secrets out of what is logged by name, at any depth', () => {
    const lines: string[] = []
    const log = createLog({ level: 'trace', stream: { write: (line: string) => void lines.push(line) } })
    log.trace({ token: WORDS, headers: { admintoken: WORDS, authorization: WORDS }, path: '/x' })
    const circle: Record<string, unknown> = { bytes: Buffer.from(WORDS), stanza: new Map([[WORDS, WORDS]]) }
    log.debug({ circle: Object.assign(circle, { circle }) })
    log.info({ request: { body: { Body: WORDS, Image: FILE }, headers: { cookie: WORDS } } })
    log.child({ plugin: 'x' }).error({ a: [{ b: { c: { d: { Text: WORDS } } } }], err: new Error('why') })
    expect(lines).to.have.length(4)
    expect(lines.join(''))
      .to.include('/x')
      .and.include('"reason":"why"')
      .and.not.include(WORDS)
      .and.not.include(FILE)
  })

  it('tells no token, no text and no file, whatever is called and however it ends', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'trace', stream: { write: (line: string) => void lines.push(line) } })
    const world = await startWorld({ log })
    const receiver = await startReceiver()
    const session = await world.linked(await world.phone('Ana'))
    const bea = await world.phone('Bea')
    const { data } = await session.post('/webhook', { WebhookURL: `${receiver.url}?key=${WORDS}` })
    const image = await picture()

    // What goes through, both ways and on to the webhook.
    await session.post('/send/text', { Phone: bea.account.phone, Body: WORDS })
    await session.post('/send/image', { Phone: bea.account.phone, Image: image, Caption: WORDS })
    await bea.wait(({ raw }) => raw.imageMessage?.caption === WORDS)
    await bea.send(session.phone.account.phone, { Text: WORDS })
    await receiver.wait(({ body }) => body.includes(`"${WORDS}"`) && body.includes('"IsFromMe":false'))

    // What is refused: every route with right and wrong tokens, in the header and in the query.
    const routes = world.gateway.describe().plugins.flatMap(({ routes: own }): readonly Route[] => own)
    const ends = /session\/(logout|disconnect|delete)/
    const abuse = async ({ method, path, spec }: Route): Promise<void> => {
      const body = method === 'GET' ? undefined : telling(spec.body as Shape | undefined)
      const url = world.gateway.url + path.replace(/:\w+/g, WORDS)
      const query = `token=${session.token}&admintoken=${ADMIN}&Text=${WORDS}`
      await fetch(`${url}?token=${WORDS}&admintoken=${WORDS}`, { method })
      if (ends.test(path)) return
      await fetch(`${url}?${query}`, {
        method,
        headers: { ...admin, authorization: `Bearer ${WORDS}`, cookie: WORDS },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    }
    await Promise.all(routes.map(abuse))
    await session.post('/send/text', `{"Phone":"${bea.account.phone}","Body":"${WORDS}`)
    await world.stop()
    await receiver.close()

    expect(lines.length).to.be.greaterThan(routes.length * 2)
    const secrets = [
      WORDS,
      FILE.slice(0, 60),
      image.slice(30, 90),
      session.token,
      ADMIN,
      data.Secret,
      KEYS.slice(3),
    ]
    for (const secret of secrets) {
      const telltale = lines.filter((line) => line.includes(secret))
      expect(telltale, `lines that tell ${secret.slice(0, 30)}`).to.deep.equal([])
    }
  })
})
