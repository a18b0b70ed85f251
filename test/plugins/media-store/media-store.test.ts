import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type World } from '../../support/world.ts'
import { bytesOf, type OpenStore, openStore } from './open-store.ts'

describe('received files in a folder', () => {
  const folder = temporaryFolder()
  let opened: OpenStore
  let world: World
  before(async () => {
    opened = await openStore({ 'media-store': { folder, pruneSeconds: 0.05 } })
    ;({ world } = opened)
  })
  after(() => world.stop())

  const filesOf = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  const secret = Buffer.alloc(200_000, 'a secret that must not be on the disk ')

  it('are stored encrypted as they arrive, and read by the link after the network has dropped them', async () => {
    const { url } = await opened.receive(secret)
    await eventually(() => filesOf().some((path) => !path.endsWith('.part')), 'stored')
    const [path = ''] = filesOf()
    const stored = readFileSync(path)
    expect(stored.length).to.be.within(secret.length + 1, secret.length + 200)
    expect(stored.includes('a secret')).to.equal(false)
    await eventually(async () => (await opened.stateOf()).Lag === 0, 'handled')
    world.fault({ Fault: 'mediaDown' })
    const answer = await opened.download(url)
    world.fault({ Fault: 'clear' })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-disposition')).to.match(/^attachment; filename="\w+\.bin"$/)
    expect((await bytesOf(answer)).equals(secret)).to.equal(true)
  })

  it('refuse a link that was changed, or has expired', async () => {
    const { url, seq } = await opened.receive(Buffer.from('short'))
    const [, expires = ''] = /expires=(\d+)/.exec(url) ?? []
    const others = [
      url.replace(`expires=${expires}`, `expires=${Number(expires) + 1}`),
      url.replace(`expires=${expires}`, 'expires=1'),
      url.replace(`/${seq}?`, `/${seq - 1}?`),
      `/media-store/${seq}`,
      '/media-store/none?expires=9999999999999&signature=x',
    ]
    for (const other of others)
      expect(await world.gateway.get(other), other).to.include({ status: 403, errorCode: 'LINK_INVALID' })
  })

  it('break off the download of a file that was changed on the disk', async () => {
    const before = new Set(filesOf())
    const { url } = await opened.receive(secret)
    const path = await eventually(
      () => filesOf().find((one) => !before.has(one) && !one.endsWith('.part')),
      'stored',
    )
    await eventually(async () => (await opened.stateOf()).Lag === 0, 'handled')
    const stored = readFileSync(path)
    stored[150_000] = (stored[150_000] as number) ^ 1
    writeFileSync(path, stored)
    const outcome = await opened
      .download(url)
      .then(bytesOf)
      .catch(() => 'broken off')
    expect(outcome).to.equal('broken off')
  })

  it('wait while the network does not give the file, and are stored then', async () => {
    const before = new Set(filesOf())
    world.fault({ Fault: 'mediaDown' })
    await opened.receive(Buffer.from('later'))
    await eventually(async () => (await opened.stateOf()).Behind[0]?.Failures, 'tried')
    world.fault({ Fault: 'clear' })
    await eventually(() => filesOf().some((path) => !before.has(path)), 'stored', {
      progress: () => Date.now(),
    })
  })

  it('go with their session', async () => {
    const { url } = await opened.receive(Buffer.from('the last one'))
    await eventually(async () => (await opened.stateOf()).Lag === 0, 'handled')
    expect(filesOf()).not.to.have.length(0)
    await world.gateway.post('/session/delete', { Token: opened.session.token }, admin)
    expect(await world.gateway.get(url)).to.include({ status: 403, errorCode: 'LINK_INVALID' })
    await eventually(() => filesOf().length === 0, 'deleted')
  })
})

describe('received files after their time', () => {
  it('are deleted', async () => {
    const folder = temporaryFolder()
    const { world, receive, stateOf } = await openStore({
      'media-store': { folder, pruneSeconds: 0.05, keepDays: 1 / 86_400 },
    })
    const count = (): number =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
    await receive(Buffer.from('old soon'))
    await eventually(() => count() === 1, 'stored')
    await eventually(async () => (await stateOf()).Lag === 0, 'handled')
    await eventually(() => count() === 0, 'deleted')
    await world.stop()
  })
})
