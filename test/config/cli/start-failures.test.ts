import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { mainOf, startProcess } from '../../support/process.ts'

interface Ended {
  code: number | null
  out: string
  err: string
}

interface Run {
  env?: Record<string, string>
  cwd?: string
  /** Nothing reads its output: the other end of the pipe is closed. */
  isUnread?: boolean
  /** As a user who may write only what others may. */
  isOther?: boolean
}

/** `nobody`: root may write everywhere. */
const OTHER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

async function wamux(
  args: readonly string[],
  { env = {}, cwd = temporaryFolder(), isUnread, isOther }: Run = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...mainOf(), ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', WAMUX_PORT: '0', LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
    killSignal: 'SIGKILL',
    ...(isOther ? OTHER : {}),
  })
  const ended = { code: null, out: '', err: '' } as Ended
  if (isUnread) child.stdout.destroy()
  else child.stdout.on('data', (text) => (ended.out += text))
  child.stderr.on('data', (text) => (ended.err += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { ...ended, code }
}

const NO_STACK = /^\s+at /m

describe('a command that can not do its work', () => {
  let other: Server
  let port: string
  before(async () => {
    other = createServer((_, response) => response.end('not a gateway'))
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    port = String((other.address() as AddressInfo).port)
  })
  after(() => other.close())

  const fails = async (run: Run, ...says: string[]): Promise<void> => {
    for (const command of ['start', 'sandbox']) {
      const { code, err, out } = await wamux([command], run)
      expect({ code, err, out }, command).to.have.property('code', 1)
      for (const words of says) expect(err, command).to.include(words)
      expect(err, command).to.not.match(NO_STACK)
    }
  }

  it('names the commands when none is given, and starts nothing', async () => {
    const cwd = temporaryFolder()
    const { code, err } = await wamux([], { cwd })
    expect(code).to.equal(2)
    expect(err)
      .to.match(/^Usage: wamux /)
      .and.match(/^ {2}start .*\S/m)
    expect(readdirSync(cwd)).to.deep.equal([])
  })

  it('says that another program has the port', async () => {
    const says = `another program uses 127.0.0.1:${port}; stop it, or set WAMUX_PORT`
    await fails({ env: { WAMUX_PORT: port } }, says)
  })

  it('says that a gateway has the port', async () => {
    const gateway = await startProcess({ WAMUX_DATA_DIR: temporaryFolder() })
    const used = new URL(gateway.url).port
    await fails(
      { env: { WAMUX_PORT: used } },
      `a gateway answers on 127.0.0.1:${used}; stop it, or set WAMUX_PORT`,
    )
    expect(await gateway.end('SIGTERM')).to.equal(0)
  })

  it('says that there is no such address to listen on', async () => {
    await fails(
      { env: { WAMUX_HOST: '192.0.2.1', WAMUX_PORT: port } },
      `192.0.2.1:${port}: EADDRNOTAVAIL; choose another host or port`,
    )
  })

  it('says who may not write the data folder', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const dataDir = join(folder, 'data')
    mkdirSync(join(dataDir, 'sandbox'), { recursive: true })
    for (const path of [folder, dataDir, join(dataDir, 'sandbox')]) chmodSync(path, 0o555)
    const env = { WAMUX_DATA_DIR: dataDir }
    await fails({ env, isOther: true, cwd: '/' }, 'EACCES', 'give the user of the gateway', dataDir)
    const missing = join(folder, 'missing')
    await fails({ env: { WAMUX_DATA_DIR: missing }, isOther: true, cwd: '/' }, 'EACCES', `create ${missing}`)
    expect(existsSync(missing)).to.equal(false)
  })

  it('says that the data folder is no folder', async () => {
    const file = join(temporaryFolder(), 'data')
    writeFileSync(file, '')
    await fails({ env: { WAMUX_DATA_DIR: file } }, `${file} is not a directory; move that file`)
  })

  it('goes on where nothing reads its output', async () => {
    for (const command of ['check', 'plugins', '--help']) {
      const { code, err } = await wamux([command], { isUnread: true })
      expect({ code, err }, command).to.deep.equal({ code: 0, err: '' })
    }
  })

  for (const value of ['true', '*', '10.0.0.0/33', 'http://localhost:3000', 'localhost:3000']) {
    it(`refuses WAMUX_ALLOW_PRIVATE_HOSTS=${value}`, async () => {
      const { code, err } = await wamux(['check'], { env: { WAMUX_ALLOW_PRIVATE_HOSTS: value } })
      expect({ code, err }).to.have.property('code', 1)
      expect(err).to.include(`allowPrivateHosts: "${value}" is not a host`)
      expect(err).to.include('for example 127.0.0.1,10.0.0.0/8')
    })
  }

  it('takes addresses, networks and names of hosts', async () => {
    const hosts = '127.0.0.1,::1,10.0.0.0/8,fd00::/8,localhost,hooks.internal,my_service'
    const { code, err } = await wamux(['check'], { env: { WAMUX_ALLOW_PRIVATE_HOSTS: hosts } })
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
  })
})
