import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { callsOf } from '../support/calls.ts'
import { eventually } from '../support/eventually.ts'
import { whole } from '../support/run/whole.ts'
import { run, type Service, serve } from './commands.ts'
import { lendSqlite, type Packed, packWamux } from './packed.ts'

const SESSION = `
import { startTestGateway } from '@wamux/sandbox/testing'
const gateway = await startTestGateway({ plugins: [] })
const session = await gateway.session()
const phone = await gateway.phone()
const { status } = await session.post('/send/text', { Phone: phone.number, Body: 'from the packages' })
console.log(status, JSON.stringify(await phone.wait(() => true)))
await gateway.stop()
`

whole.describe('the packages, installed in an empty folder', function () {
  this.timeout(300_000)
  let packed: Packed
  let service: Service | undefined
  before(async () => {
    packed = await packWamux()
    writeFileSync(join(packed.cwd, 'package.json'), JSON.stringify({ name: 'shop', type: 'module' }))
  })
  afterEach(async () => {
    await service?.stop()
    service = undefined
  })
  after(() => rm(packed.home, { recursive: true, force: true }))

  const install = async (...tarballs: string[]): Promise<void> => {
    await run(`npm install --ignore-scripts ${tarballs.join(' ')}`, packed)
    if (!existsSync(join(packed.cwd, 'node_modules/sqlite3/build'))) lendSqlite(packed.cwd)
  }
  const packageOf = (name: string): string => {
    const tarball = packed.tarballs[name]
    if (!tarball) throw new Error(`no package ${name}`)
    return tarball
  }
  const modules = (pattern: string): Promise<string> =>
    run(`find node_modules -path '${pattern}' -not -path '*/cli/*'`, packed)
  const failing = (command: string): Promise<string> => run(`! npx wamux ${command}`, packed)
  const go = async (command: string): Promise<Service> => {
    service = await serve(`npx ${command}`, packed)
    return service
  }

  it('have a gateway without the network, its packages and the brokers in wamux alone', async () => {
    await install(packed.tarball)
    for (const name of ['jsqr', 'pngjs', 'selfsigned', '@wamux', '@nats-io', 'mqtt', 'rabbitmq-client'])
      expect(await modules(`*node_modules/${name}`)).to.equal('')
    expect(await modules('*wamux*sandbox*')).to.equal('')
    const gateway = callsOf(await go('wamux start'))
    expect((await gateway.get('/server/ready')).status).to.equal(200)
  })

  it('are named by what needs one that is not there', async () => {
    const sandbox = 'plugin "sandbox" is in the package @wamux/sandbox, which is not installed: npm install'
    for (const command of ['sandbox', 'network']) expect(await failing(command)).to.include(sandbox)
    expect(await failing('mcp --token none')).to.include('npm install @wamux/mcp')
    writeFileSync(join(packed.cwd, 'nats.json'), '{ "plugins": { "output-nats": true } }')
    expect(await failing('check --config nats.json')).to.include('npm install @wamux/output-nats')
  })

  it('bring the local network, its command and the test kit with @wamux/sandbox', async () => {
    await install(packageOf('@wamux/sandbox'))
    const sandbox = await go('wamux sandbox')
    await eventually(() => sandbox.lines.join('\n').includes('is linked to the phone of Shop'), 'seeded')
    await sandbox.stop()
    await go('wamux-network')
    await service?.stop()
    service = undefined
    writeFileSync(join(packed.cwd, 'session.js'), SESSION)
    expect(await run('node session.js', packed)).to.match(/^200 .*from the packages/)
  })

  it('bring an output that is listed, and publishes', async () => {
    await install(packageOf('@wamux/output-redis'))
    const file = join(packed.cwd, 'redis.json')
    writeFileSync(file, '{ "plugins": { "outputs": true, "output-redis": true } }')
    expect(await run('npx wamux plugins --config redis.json', packed)).to.match(/^output-redis /m)
    const sandbox = await go('wamux sandbox --config redis.json')
    const admin = { admintoken: readFileSync(join(packed.cwd, 'data/sandbox/admin-token'), 'utf8').trim() }
    const published = async (): Promise<number> =>
      (await callsOf(sandbox).get('/server/outputs', admin)).data.Outputs[0].Published
    await eventually(async () => (await published()) > 0, 'published', {
      progress: () => sandbox.lines.length,
    })
  })
})
