import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { type Service, serve } from '../../../kit/commands.ts'
import { callsOf } from '../../../support/calls.ts'
import { temporaryFolder } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { whole } from '../../../support/run/whole.ts'

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const SDK = new URL('../../../../kernel/plugin.ts', import.meta.url).href
const plugin = (word: string): string => `
import { definePlugin } from '${SDK}'
export default definePlugin({
  name: 'guest', version: '1.0.0', api: '^1.0.0',
  routes: (r) => [r.get('/guest', { summary: 's', access: 'public', handle: async () => ({ Word: '${word}' }) })],
})
`

whole.describe('wamux plugin dev', () => {
  const folder = temporaryFolder()
  let service: Service | undefined
  afterEach(async () => {
    await service?.stop()
    service = undefined
  })

  /** As documented: in the folder of the plugin, and no more. */
  const develop = async (cwd: string): Promise<Service> => {
    const env = { PATH: process.env['PATH'], WAMUX_PORT: '0' }
    const main = resolve('config/cli/main.ts')
    const command = `${process.execPath} --conditions=wamux:source --import ${TSX} ${main} plugin dev`
    service = await serve(command, { cwd, env })
    return service
  }

  it('runs the plugin that a package is, where there is no configuration', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'lib'))
    writeFileSync(join(cwd, 'lib/guest.mjs'), plugin('packed'))
    const exports = { '.': { types: './lib/guest.d.ts', default: './lib/guest.mjs' } }
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'guest', exports }))
    const running = await develop(cwd)
    expect((await callsOf(running).get('/guest')).data).to.deep.equal({ Word: 'packed' })
    expect(running.lines.join('\n')).to.include('with ./lib/guest.mjs')
  })

  it('says that there is no plugin in a folder that has none', async () => {
    const failure = await develop(temporaryFolder()).catch((error: Error) => error.message)
    expect(failure).to.include('there is no plugin here: neither a wamux.yaml nor a package.json')
  })

  it('restarts the gateway at a change, on the same network with its linked phones', async () => {
    writeFileSync(join(folder, 'guest.mjs'), plugin('one'))
    writeFileSync(join(folder, 'wamux.yaml'), 'plugins:\n  ./guest.mjs: true\n')
    const running = await develop(folder)
    expect(running.lines.join('\n')).to.include('with wamux.yaml')
    const admin = { admintoken: readFileSync(join(folder, 'data/sandbox/admin-token'), 'utf8').trim() }
    const first = callsOf(running)
    expect((await first.get('/guest')).data).to.deep.equal({ Word: 'one' })
    await first.post('/sandbox/phones', { Phone: '5511900000021' }, admin)
    await first.post('/session/init', { Token: 'token-of-the-shop' }, admin)
    const token = { token: 'token-of-the-shop' }
    await first.post('/session/connect', { Immediate: false }, token)
    await first.post('/sandbox/phones/5511900000021/scan', { Token: token.token }, admin)
    const isLinked = async (calls: typeof first): Promise<boolean> =>
      (await calls.get('/session/status', token)).data.LoggedIn === true
    await eventually(() => isLinked(first), 'linked')

    writeFileSync(join(folder, 'guest.mjs'), plugin('two'))
    const urlNow = (): string | undefined => {
      const listening = running.lines.filter((line) => line.includes('"gateway listening"'))
      return listening.length > 1 ? JSON.parse(listening.at(-1) ?? '').url : undefined
    }
    const url = await eventually(urlNow, 'started again', { progress: () => running.lines.length })
    const second = callsOf({ url })
    expect((await second.get('/guest')).data).to.deep.equal({ Word: 'two' })
    await eventually(() => isLinked(second), 'still linked', { progress: () => running.lines.length })
    expect(running.lines.join('\n')).to.include('guest.mjs has changed')
  })
})
