import { readdirSync, readFileSync, watch } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../../../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { picture } from '../../../support/picture.ts'
import { type GatewayProcess, startProcess } from '../../../support/process.ts'
import { hasFfmpeg, pdf, sample, voice } from '../../../support/samples.ts'
import { type LinkedSession, linkPhone, sessionOf } from '../../../support/sessions.ts'

/** Ends the process at the named moment, as a power cut would. */
const KILLER = new URL('../../../crash/killer.ts', import.meta.url).pathname

/** Every kind of upload by a request that makes it: with its file in the body's field, and what follows from others. */
const UPLOADS = (files: Files): Record<string, [route: string, body: object]> => ({
  picture: ['/send/image', { Image: files.picture }],
  video: ['/send/video', { Video: files.video }],
  'video note': ['/send/video', { Video: files.video, Ptv: true }],
  audio: ['/send/audio', { Audio: files.voice }],
  document: ['/send/document', { Document: files.pdf, FileName: 'a.pdf' }],
  sticker: ['/send/sticker', { Sticker: files.picture, PackName: 'Pack' }],
  'file by its kind': ['/send/mediabutton', buttons({ Type: 'image', Media: files.picture })],
  'large link preview': [
    '/send/preview2',
    {
      Text: 'https://a.example',
      MatchedURL: 'https://a.example',
      Title: 'A',
      Description: '',
      Image: files.picture,
    },
  ],
  album: ['/send/album', { Items: [{ Image: files.picture }, { Image: files.picture }] }],
  'picture as status': ['/status/image', { Image: files.picture, ...files.viewers }],
  'video as status': ['/status/video', { Video: files.video, ...files.viewers }],
  'voice as status': ['/status/audio', { Audio: files.voice, ...files.viewers }],
  'picture in a newsletter': ['/send/image', { Image: files.picture, Phone: files.newsletter }],
  'sticker in a newsletter': ['/send/sticker', { Sticker: files.picture, Phone: files.newsletter }],
  'picture of a newsletter': ['/newsletter/photo', { JID: files.newsletter, Image: files.picture }],
  'picture of a group': ['/group/photo', { GroupJID: files.group, Image: files.picture }],
  'picture of the account': ['/user/profile', { Image: files.picture }],
  'cover picture': ['/business/cover', { Image: files.picture }],
  'picture of a product': [
    '/business/catalog/create',
    { name: 'Bread', description: '', price: 1000, currency: 'BRL', images: [files.picture] },
  ],
})

interface Files {
  picture: string
  video: string
  voice: string
  pdf: string
  newsletter: string
  group: string
  viewers: { StatusJidList: string[] }
}

const buttons = (body: object): object => ({
  ...body,
  Content: 'New',
  Buttons: [{ DisplayText: 'Order', Type: 'quickreply', Id: 'order' }],
})

/** Not of the loader, where the gateway runs from source. */
const isOwn = (name: string): boolean => !name.startsWith('tsx-')

describe('uploads', () => {
  const temporary = temporaryFolder()
  let loose: LooseNetwork
  let env: Record<string, string>
  let gateway: GatewayProcess
  let session: LinkedSession
  let shop: Phone
  let ana: Phone
  let files: Files
  const temporaryFiles = (): string[] =>
    readdirSync(temporary, { recursive: true, encoding: 'utf8' }).filter(isOwn)
  const post = (route: string, body: object, to = gateway) =>
    to.post(
      route,
      { ...(route.startsWith('/send/') && { Phone: ana.account.phone }), ...body },
      session.headers,
    )

  before(async function () {
    if (!(await hasFfmpeg)) return this.skip()
    loose = await startNetwork()
    const WAMUX_DATA_DIR = temporaryFolder()
    env = { WAMUX_DATA_DIR, WAMUX_BAILEYS_NETWORK: loose.card, TMPDIR: temporary }
    gateway = await startProcess(env)
    shop = await loose.phones.create({ name: 'Shop', business: true })
    session = await linkPhone(gateway, shop)
    ana = await loose.phones.create({ name: 'Ana' })
    const made = await post('/newsletter/create', { Name: 'Ours' })
    const group = await post('/group/create', { Name: 'Team', Participants: [ana.account.phone] })
    files = {
      picture: await picture(120, 300),
      video: sample('mp4', '-f lavfi -i testsrc=s=320x180:d=1:r=10 -pix_fmt yuv420p'),
      voice: voice(2),
      pdf: pdf(2).toString('base64'),
      newsletter: made.data.id,
      group: group.data.JID,
      viewers: { StatusJidList: [ana.account.phone] },
    }
  })
  after(async () => {
    await gateway?.end('SIGTERM')
    await loose?.network.close()
  })

  it('write no file to the temporary folder, whatever is uploaded', async () => {
    const written: Record<string, string[]> = {}
    for (const [kind, [route, body]] of Object.entries(UPLOADS(files))) {
      const names = new Set<string>()
      const watcher = watch(temporary, (_, name) => void names.add(name ?? ''))
      const { status, error } = await post(route, body)
      expect(status, `${kind}: ${error}`).to.equal(200)
      // What was reported while the answer was on its way.
      await setImmediate()
      watcher.close()
      const own = [...names].filter(isOwn)
      if (own.length > 0) written[kind] = own
    }
    expect(written).to.deep.equal({})
    expect(temporaryFiles()).to.deep.equal([])
  })

  it('load no decoder of pictures into the process that serves', function () {
    if (process.platform !== 'linux') return this.skip()
    expect(readFileSync(`/proc/${gateway.pid}/maps`, 'utf8')).to.not.match(/vips|sharp/)
  })

  it('leave none either when the gateway is killed in the middle of one', async () => {
    await gateway.end('SIGTERM')
    const killed = await startProcess({ ...env, CRASH_AT: 'within:upload' }, 'start', [KILLER])
    await sessionOf(killed, session.headers['token'] ?? '', shop).status({ LoggedIn: true })
    void post('/send/document', { Document: files.pdf, FileName: 'a.pdf' }, killed).catch(() => undefined)
    expect(await killed.ended).to.deep.equal([null, 'SIGKILL'])
    expect(temporaryFiles()).to.deep.equal([])
    gateway = await startProcess(env)
  })
})
