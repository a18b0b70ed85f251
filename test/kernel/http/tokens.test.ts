import { expect } from 'chai'
import { rawRequest } from '../../support/servers/raw-request.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

/** As the bytes of a header are shown: one character each. */
const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

describe('a token that is not of ASCII', () => {
  let world: World
  before(async () => {
    // The plugin audit limits wrong tokens.
    world = await startWorld({ without: ['audit'] })
  })
  after(() => world.stop())

  const init = (Token: string) => world.gateway.post('/session/init', { Name: 'shop', Token }, admin)
  const statusOf = async (path: string, headers: Record<string, string>): Promise<number> => {
    const answer = await rawRequest(world.gateway.url, `GET ${path} HTTP/1.1`, headers)
    return Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1])
  }

  it('is refused for a new session: no header could hold it', async () => {
    for (const token of [
      'é'.repeat(20),
      'caf\u00c3\u00a9-0123456789abcdef',
      'token-0123456789-😀',
      'a\u0000'.repeat(20),
    ]) {
      const { status, errorCode, error } = await init(token)
      expect({ status, errorCode }, token).to.deep.equal({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(error).to.include('Token').and.not.include(token)
    }
  })

  it('is answered with 401, in whatever header, encoding or place', async () => {
    const plain = 'cafe-0123456789abcdef'
    expect(await init(plain)).to.include({ status: 200 })
    expect(await statusOf('/session/summary', { token: plain })).to.equal(200)
    const given = [
      'é',
      utf8('é'),
      'café-0123456789abcdef',
      utf8('café-0123456789abcdef'),
      `${plain}\u00a0`,
      `${plain}\u00ad`,
    ]
    for (const token of given)
      for (const header of ['token', 'authorization', 'admintoken'])
        for (const path of ['/session/status', '/session/all', '/session/summary', '/events/stream'])
          expect(
            await statusOf(path, { [header]: header === 'authorization' ? `Bearer ${token}` : token }),
            `${header}: ${token}`,
          ).to.equal(401)
    for (const token of ['%C3%A9', '%E9', `${plain}%C2%A0`, `${plain}%00`])
      expect(await statusOf(`/session/status?token=${token}`, {})).to.equal(401)
    expect(world.gateway.lines.filter((line) => line.includes('request failed'))).to.deep.equal([])
  })

  it('is no admin token, whatever its bytes are decoded as', async () => {
    const wide = admin.admintoken.replace('a', '\u0101')
    for (const token of [utf8(wide), `${admin.admintoken}\u00a0`, utf8(`${admin.admintoken}\u00a0`)])
      expect(await statusOf('/session/all', { admintoken: token })).to.equal(401)
  })
})
