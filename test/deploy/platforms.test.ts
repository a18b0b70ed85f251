import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/databases.ts'
import { mainOf } from '../support/process.ts'
import { readDockerfile } from './dockerfile.ts'
import { APP, HEADER, META, magicValueOf } from './platforms.ts'

const DEPLOY = 'config/deploy'
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const image = readDockerfile(read('docker/Dockerfile')).at(-1)?.instructions ?? []
const imageHas = (instruction: string): string =>
  image.find(({ name }) => name === instruction)?.value ?? `no ${instruction}`

describe('the template for Coolify', () => {
  const text = read('coolify/wamux.yaml')
  const header = Object.fromEntries(
    [...text.matchAll(/^#(.*?):(.*)$/gm)].map(([, key = '', value = '']) => [key.trim(), value.trim()]),
  )
  const { services, ...rest } = parse(text) as { services: Record<string, Record<string, unknown>> }
  const service = services['wamux'] ?? {}
  const environment = (service['environment'] as string[]).map((entry): [string, string | undefined] => {
    const at = entry.indexOf('=')
    return at < 0 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + 1)]
  })

  it('has the comments from which Coolify makes its catalogue', () => {
    expectValid(HEADER, header)
    expect(header['port']).to.equal(imageHas('EXPOSE'))
  })

  it('runs the image as compose/sqlite.yaml does, with the health check and the volume of the image', () => {
    const {
      name,
      ports,
      build,
      restart,
      environment: _,
      ...same
    } = parse(read('compose/sqlite.yaml')).services.wamux
    expect(service).to.deep.include({ ...same, volumes: [`wamux-data:${imageHas('VOLUME')}`] })
    expect(service['image']).to.equal(`wamux:${version}`)
    const [, options = '', command = ''] = /^(.*?) CMD (.*)$/.exec(imageHas('HEALTHCHECK')) ?? []
    const flags = options.split(' ').map((flag) => flag.slice(2).replace('-', '_').split('='))
    const { test, ...times } = service['healthcheck'] as { test: string[] }
    expect(test).to.deep.equal(['CMD', ...JSON.parse(command)])
    expect(Object.entries(times).map(([key, value]) => [key, String(value)])).to.have.deep.members(flags)
    // Coolify makes the network, the restart policy and the volumes.
    expect(Object.keys(services)).to.deep.equal(['wamux'])
    expect(rest).to.deep.equal({})
  })

  it('gives the gateway settings that it accepts, with what Coolify generates', () => {
    const alone = environment.filter(([, value]) => value === undefined).map(([name]) => name)
    expect(alone).to.deep.equal([`SERVICE_URL_WAMUX_${header['port']}`])
    const made = new Map<string, string>()
    const expand = (value: string): string =>
      value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
        if (otherwise !== undefined) return otherwise
        if (!made.has(name)) made.set(name, magicValueOf(name))
        return made.get(name) ?? ''
      })
    const env = environment.flatMap(([name, value]) => (value === undefined ? [] : [[name, expand(value)]]))
    expectAccepted(Object.fromEntries(env))
  })
})

describe('the template for Easypanel', () => {
  const meta = parse(read('easypanel/meta.yaml')) as { schema: object }
  const generated = async (given: object = {}) => {
    const input = { ...given }
    expectValid(meta.schema, input)
    const { generate } = await import(pathToFileURL(resolve(DEPLOY, 'easypanel/index.ts')).href)
    return generate(input) as { services: { type: string; data: AppData }[] }
  }

  it('has the fields of the catalogue, and a form whose defaults are valid', async () => {
    expectValid(META, meta)
    const input: Record<string, unknown> = {}
    expectValid(meta.schema, input)
    expect(input['appServiceImage']).to.equal(`wamux:${version}`)
    expect(read('easypanel/assets/logo.svg')).to.match(/^<svg [^>]*viewBox="0 0 64 64"/)
  })

  it('makes one service of the image with a domain, a volume, and no second process meanwhile', async () => {
    const { services } = await generated({
      appServiceName: 'gw',
      appServiceImage: 'registry.example.com/wamux:1',
    })
    expect(services.map(({ type }) => type)).to.deep.equal(['app'])
    const { data } = services[0] ?? expect.fail()
    expectValid(APP, data)
    expect(data).to.deep.include({
      serviceName: 'gw',
      source: { type: 'image', image: 'registry.example.com/wamux:1' },
      domains: [{ host: '$(EASYPANEL_DOMAIN)', port: Number(imageHas('EXPOSE')) }],
    })
    expect(data.mounts).to.deep.equal([{ type: 'volume', name: 'data', mountPath: imageHas('VOLUME') }])
    expect(data.deploy).to.include({ replicas: 1, zeroDowntime: false })
  })

  it('gives the gateway settings that it accepts, with new secrets each time', async () => {
    const [one, other] = await Promise.all([generated(), generated()])
    const envOf = ({ services }: typeof one) =>
      parseEnv((services[0]?.data.env ?? '').replaceAll('$(PRIMARY_DOMAIN)', 'gw.example.com')) as Record<
        string,
        string
      >
    for (const name of ['WAMUX_ADMIN_TOKEN', 'WAMUX_KEYS'])
      expect(envOf(one)[name], name).to.be.a('string').and.not.equal(envOf(other)[name])
    expectAccepted(envOf(one))
  })
})

interface AppData {
  env: string
  mounts: object[]
  deploy: object
}

function expectValid(schema: object, value: unknown): void {
  const ajv = new Ajv({ allErrors: true, useDefaults: true })
  const isValid = ajv.validate(schema, value)
  expect(isValid, ajv.errorsText()).to.equal(true)
}

/** Its settings are in the reference, and `wamux check` accepts their values: among them a token and a key that are given. */
function expectAccepted(env: Record<string, string>): void {
  const settings = [...readFileSync('config/REFERENCE.md', 'utf8').matchAll(/\| `([A-Z][A-Z0-9_]+)` \|/g)]
  expect(settings.map(([, name]) => name)).to.include.members(Object.keys(env))
  expect(env).to.include.keys('WAMUX_ADMIN_TOKEN', 'WAMUX_KEYS')
  expect(env['WAMUX_TRUST_PROXY']).to.equal('1')
  expect(env['WAMUX_MESSAGES_PUBLIC_URL']).to.match(/^https?:\/\/[a-z0-9.-]+$/)
  // A random folder: a key or a database that is there would be compared.
  const own = {
    PATH: process.env['PATH'] ?? '',
    WAMUX_DATA_DIR: join(temporaryFolder(), randomBytes(4).toString('hex')),
  }
  const said = execFileSync(process.execPath, [...mainOf(), 'check'], {
    env: { ...own, ...env },
    encoding: 'utf8',
  })
  expect(said).to.match(/^ok: \d+ plugins/m)
  expect(said).to.not.include('not used:')
}
