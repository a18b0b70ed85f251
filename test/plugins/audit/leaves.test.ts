import { expect } from 'chai'
import { picture } from '../../support/picture.ts'
import { type FileServer, give, startFileServer } from '../../support/servers/file-server.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

const SECRET = '/a.jpg?secret=of-the-shop'

describe('what leaves the account, in the audit log', () => {
  let world: World
  let session: LinkedSession
  let files: FileServer
  let image: string
  before(async () => {
    image = await picture()
    files = await startFileServer({ [SECRET]: give(image.split(',')[1] ?? '', 'image/jpeg') })
    ;({ world, session } = await openShop({ allowPrivateHosts: ['127.0.0.1'] }))
  })
  after(async () => {
    await world.stop()
    await files.close()
  })

  const rows = async (): Promise<{ Action: string; Leaves: string; Result: string }[]> =>
    (await world.gateway.get('/server/audit?limit=1000', admin)).data.Rows
  const of = async (action: string) =>
    (await rows()).filter(({ Action }) => Action === action).map(({ Leaves }) => Leaves)

  it('is named by its kinds, and by the host of an address without the rest of it', async () => {
    const url = files.url + SECRET
    const { host } = new URL(files.url)
    for (const [path, body] of [
      ['/user/about', { About: 'Open' }],
      ['/user/profile', { Image: image }],
      ['/user/profile', { Image: url }],
      ['/contact/add', { Phone: '5511999999999', FullName: 'Ana' }],
      ['/media/convert', { File: url, To: 'picture' }],
      ['/webhook', { WebhookURL: `${files.url}/hook?key=secret` }],
    ] as const)
      expect((await session.post(path, body)).status, path).to.be.oneOf([200, 404])
    expect(await of('user.about')).to.deep.equal(['profile'])
    expect(await of('user.profile')).to.deep.equal(['profile', `fetch ${host}, profile`])
    expect(await of('contact.add')).to.deep.equal(['contact'])
    expect(await of('media.convert')).to.deep.equal([`fetch ${host}`])
    expect(await of('webhook.set')).to.deep.equal([`fetch ${host}`])
    expect(JSON.stringify(await rows())).not.to.include('secret')
  })

  it('has no row for a message, nor for what stays here', async () => {
    const before = (await rows()).length
    await session.post('/media/convert', { File: image, To: 'picture' })
    await session.post('/send/text', { Phone: session.phone.account.phone, Body: 'a note' })
    expect(await rows()).to.have.length(before)
  })
})
