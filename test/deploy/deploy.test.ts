import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { variableOf } from '../../config/environment.ts'
import { readConfig } from '../../config/load.ts'
import { ENVIRONMENT } from '../../config/schema.ts'
import { ConfigSchema } from '../../plugins/cluster/config.ts'
import { temporaryFolder } from '../support/databases.ts'
import { readDockerfile } from './dockerfile.ts'
import { plain, referencesOf, render } from './helm.ts'

const DEPLOY = 'config/deploy'
const known = new Set([
  'NODE_ENV',
  'WAMUX_CONFIG',
  ...[
    ...Object.keys(ENVIRONMENT),
    ...Object.keys(ConfigSchema.properties).map((key) => variableOf('cluster', key)),
  ].flatMap((name) => [name, `${name}_FILE`]),
])
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

describe('the Dockerfile', () => {
  const stages = readDockerfile(readFileSync(join(DEPLOY, 'docker/Dockerfile'), 'utf8'))
  const last = stages.at(-1)
  const valuesOf = (instruction: string): string[] =>
    (last?.instructions ?? []).filter(({ name }) => name === instruction).map(({ value }) => value)

  it('has stages that exist, and copies what exists', () => {
    const names: string[] = []
    for (const { name, instructions } of stages) {
      for (const { value } of instructions.filter((one) => one.name === 'COPY')) {
        const [, from] = /^--from=(\S+)/.exec(value) ?? []
        if (from) expect(names).to.include(from)
        else for (const path of value.split(/\s+/).slice(0, -1)) expect(existsSync(path), path).to.equal(true)
      }
      names.push(name)
    }
    expect(last?.instructions[0]?.value).to.match(/^base-\$\{VARIANT\}$/)
    expect(names).to.include.members(['base-full', 'base-slim'])
  })

  it('copies every folder that the build reads', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>
    }
    const read = `${scripts['generate']} ${readFileSync('tsconfig.build.json', 'utf8')}`
    const folders = ['kernel', 'plugins', 'config', 'migrations'].filter((name) => read.includes(name))
    expect(folders).to.have.length(4)
    for (const name of folders)
      expect(
        stages[0]?.instructions.some((one) => one.name === 'COPY' && one.value === `${name} ${name}`),
        name,
      ).to.equal(true)
  })

  it('ends as an ordinary user with a health check, and settings that there are', () => {
    expect(valuesOf('USER')).to.deep.equal(['1000:1000'])
    expect(valuesOf('HEALTHCHECK').join()).to.include('/server/ok')
    expect(valuesOf('ENTRYPOINT')).to.deep.equal(['["/usr/local/bin/node", "/app/dist/config/cli/main.js"]'])
    const set = valuesOf('ENV')
      .flatMap((value) => value.split(/\s+/))
      .map((pair) => pair.split('=')[0] ?? '')
    expect([...known]).to.include.members(set)
  })

  it('lets into the build all that it copies', () => {
    const allowed = readFileSync(join(DEPLOY, 'docker/Dockerfile.dockerignore'), 'utf8').split('\n')
    const copied = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ name, value }) => name === 'COPY' && !value.startsWith('--from'))
        .flatMap(({ value }) => value.split(/\s+/).slice(0, -1)),
    )
    for (const path of copied) expect(allowed, path).to.include(`!${path.split('/')[0]}`)
  })
})

describe('the compose files', () => {
  for (const file of readdirSync(join(DEPLOY, 'compose'))) {
    it(`${file} is YAML whose volumes, secrets, files and settings are there`, () => {
      const folder = join(DEPLOY, 'compose')
      const compose = parse(readFileSync(join(folder, file), 'utf8'), { merge: true }) as Compose
      const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith('wamux'))
      expect(nodes).to.not.have.length(0)
      for (const [, { build, image, environment = {}, secrets = [] }] of nodes) {
        expect(existsSync(join(folder, build?.context ?? '', build?.dockerfile ?? '?'))).to.equal(true)
        expect(image).to.equal(`wamux:${version}`)
        expect([...known]).to.include.members(Object.keys(environment))
        for (const [name, value] of Object.entries(environment).filter(([key]) => key.endsWith('_FILE')))
          expect(secrets, name).to.include(value.replace('/run/secrets/', ''))
      }
      for (const { secrets = [], depends_on = {}, volumes = [] } of Object.values(compose.services)) {
        for (const secret of secrets) expect(compose.secrets).to.have.property(secret)
        for (const name of Object.keys(depends_on)) expect(compose.services).to.have.property(name)
        for (const [source = ''] of volumes.map((volume) => volume.split(':')))
          if (source.startsWith('.')) expect(existsSync(join(folder, source)), source).to.equal(true)
          else expect(compose.volumes).to.have.property(source)
      }
    })
  }

  it('cluster.yaml runs nodes that differ in name and address only, all of them behind HAProxy', () => {
    const { services } = parse(readFileSync(join(DEPLOY, 'compose/cluster.yaml'), 'utf8'), {
      merge: true,
    }) as Compose
    const nodes = Object.entries(services).filter(([name]) => name.startsWith('wamux-'))
    expect(nodes).to.have.length(3)
    const common = nodes.map(([name, { environment = {} }]) => {
      const { WAMUX_CLUSTER_NAME, WAMUX_CLUSTER_URL, ...rest } = environment
      expect({ WAMUX_CLUSTER_NAME, WAMUX_CLUSTER_URL }).to.deep.equal({
        WAMUX_CLUSTER_NAME: name,
        WAMUX_CLUSTER_URL: `http://${name}:8080`,
      })
      return rest
    })
    for (const rest of common) expect(rest).to.deep.equal(common[0])
    const proxy = readFileSync(join(DEPLOY, 'haproxy/haproxy.cfg'), 'utf8')
    const servers = [...proxy.matchAll(/^\s+server (\S+) (\S+):8080$/gm)]
    expect(servers.map(([, , host]) => host)).to.deep.equal(nodes.map(([name]) => name))
    expect(proxy).to.include('option httpchk GET /server/ready')
  })

  it('the configuration of HAProxy is one in the eyes of HAProxy', function () {
    if (!existsSync('/usr/sbin/haproxy')) this.skip()
    execFileSync('/usr/sbin/haproxy', ['-c', '-f', join(DEPLOY, 'haproxy/haproxy.cfg')], { stdio: 'pipe' })
  })
})

describe('the chart', () => {
  const chart = join(DEPLOY, 'helm/wamux')
  const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown>

  it('is of this version', () => {
    expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).to.include({
      name: 'wamux',
      appVersion: version,
    })
  })

  for (const file of readdirSync(join(chart, 'templates'))) {
    const text = readFileSync(join(chart, 'templates', file), 'utf8')
    it(`${file} is YAML without its placeholders, and those name values that there are`, () => {
      const resource = parse(plain(text)) as { apiVersion: string; kind: string; metadata: { name: string } }
      expect(`${resource.kind.toLowerCase()}.yaml`).to.equal(file)
      expect(resource.metadata.name).to.be.a('string')
      for (const path of referencesOf(text)) {
        const value = path.reduce<unknown>(
          (at, key) => (at as Record<string, unknown> | undefined)?.[key],
          values,
        )
        expect(value, path.join('.')).not.to.equal(undefined)
      }
    })
  }

  /** A rendered template; undefined for an empty one. */
  const rendered = (file: string, given: Record<string, unknown> = {}) => {
    const text = readFileSync(join(chart, 'templates', file), 'utf8')
    const root = { Values: { ...values, ...given }, Release: { Name: 'gw' }, Chart: { AppVersion: version } }
    return parse(render(text, root)) ?? undefined
  }

  it('renders with its own values, and the routes of health as probes', () => {
    const { spec } = rendered('statefulset.yaml')
    const [container] = spec.template.spec.containers
    expect(container.image).to.equal(`wamux:${version}`)
    expect(container.env).to.deep.equal([
      { name: 'WAMUX_PROFILE', value: 'standard' },
      { name: 'LOG_LEVEL', value: 'info' },
    ])
    expect(container).to.not.have.property('envFrom')
    expect(container.livenessProbe.httpGet.path).to.equal('/server/live')
    expect(container.readinessProbe.httpGet.path).to.equal('/server/ready')
    expect(container.volumeMounts.map(({ name }: { name: string }) => name)).to.deep.equal(['data', 'tmp'])
    expect(spec.template.spec.volumes).to.deep.equal([{ name: 'tmp', emptyDir: {} }])
    expect(spec.template.metadata).to.not.have.property('annotations')
    expect(rendered('service.yaml').spec.ports[0]).to.include({ port: 8080, targetPort: 'http' })
    expect(rendered('configmap.yaml')).to.equal(undefined)
    expect(rendered('ingress.yaml')).to.equal(undefined)
  })

  it('takes a configuration file, plugins, variables of Secrets, volumes and annotations', async () => {
    const config = { profile: 'minimal', plugins: { '/plugins/crm.mjs': { config: { say: 'it\'s "so"' } } } }
    const given = {
      config,
      plugins: 'labels,-send',
      env: { WAMUX_TRUST_PROXY: 1 },
      envFrom: [{ secretRef: { name: 'wamux-env' } }],
      extraVolumes: [{ name: 'plugins', configMap: { name: 'crm' } }],
      extraVolumeMounts: [{ name: 'plugins', mountPath: '/plugins', readOnly: true }],
      existingSecret: 'wamux',
      postgres: true,
    }
    const { spec } = rendered('statefulset.yaml', given)
    const [container] = spec.template.spec.containers
    const env: Record<string, string> = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    )
    expect(env).to.include({
      WAMUX_PLUGINS: 'labels,-send',
      WAMUX_CONFIG: '/etc/wamux/wamux.json',
      WAMUX_TRUST_PROXY: '1',
      DATABASE_URL_FILE: '/run/wamux/databaseUrl',
    })
    expect([...known]).to.include.members(Object.keys(env))
    expect(container.envFrom).to.deep.equal(given.envFrom)
    expect(container.volumeMounts).to.deep.include(given.extraVolumeMounts[0])
    const mounted = container.volumeMounts.map(({ name }: { name: string }) => name)
    const volumes = spec.template.spec.volumes.map(({ name }: { name: string }) => name)
    expect(mounted).to.have.members(['data', ...volumes])
    expect(spec.template.spec.volumes).to.deep.include(given.extraVolumes[0])
    const map = rendered('configmap.yaml', given)
    expect(spec.template.spec.volumes).to.deep.include({
      name: 'config',
      configMap: { name: map.metadata.name },
    })
    const other = rendered('statefulset.yaml', { ...given, config: { profile: 'all' } })
    const sumOf = (made: typeof other) => made.spec.template.metadata.annotations['checksum/config']
    expect(sumOf(other)).to.match(/^[0-9a-f]{64}$/)
    expect(sumOf(other)).to.not.equal(sumOf({ spec }))

    // The gateway reads what the chart mounts.
    const file = join(temporaryFolder(), 'wamux.json')
    writeFileSync(file, map.data['wamux.json'])
    const read = readConfig({ WAMUX_CONFIG: file, WAMUX_PLUGINS: env['WAMUX_PLUGINS'] })
    expect(read.config).to.deep.include({ profile: 'minimal' })
    expect(read.config.plugins).to.deep.equal({ ...config.plugins, labels: true, send: false })

    const annotations = { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' }
    const ingress = { ...(values['ingress'] as object), enabled: true, tlsSecret: 'tls', annotations }
    const made = rendered('ingress.yaml', { ingress })
    expect(made.metadata.annotations).to.deep.equal(annotations)
    expect(made.spec.rules[0].http.paths[0].backend.service).to.deep.equal({
      name: 'gw',
      port: { name: 'http' },
    })
    expect(made.spec.tls).to.deep.equal([{ hosts: ['wamux.example.com'], secretName: 'tls' }])
  })

  it('runs one process, or the nodes of a cluster, each with an address of its own', () => {
    const alone = rendered('statefulset.yaml').spec
    expect(alone.replicas).to.equal(1)
    expect(alone.template.spec.terminationGracePeriodSeconds).to.equal(20)
    expect(rendered('poddisruptionbudget.yaml')).to.equal(undefined)
    const given = { cluster: { enabled: true, replicas: 3 }, existingSecret: 'wamux', postgres: true }
    const { spec } = rendered('statefulset.yaml', { ...given, postgresDirect: true })
    expect(spec.replicas).to.equal(3)
    expect(spec.template.spec.terminationGracePeriodSeconds).to.equal(40)
    const [container] = spec.template.spec.containers
    expect(container.lifecycle.preStop.exec.command).to.deep.equal(['sleep', '5'])
    expect(container.env).to.deep.include.members([
      { name: 'WAMUX_PLUGINS', value: 'cluster' },
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'WAMUX_CLUSTER_NAME', value: '$(POD_NAME)' },
      { name: 'WAMUX_CLUSTER_URL', value: 'http://$(POD_IP):8080' },
      { name: 'WAMUX_CLUSTER_SECRET_FILE', value: '/run/wamux/clusterSecret' },
      { name: 'DATABASE_DIRECT_URL_FILE', value: '/run/wamux/databaseDirectUrl' },
    ])
    const more = rendered('statefulset.yaml', { ...given, plugins: '-labels' }).spec.template.spec
    expect(more.containers[0].env).to.deep.include({ name: 'WAMUX_PLUGINS', value: 'cluster,-labels' })
    const budget = rendered('poddisruptionbudget.yaml', given).spec
    expect(budget.maxUnavailable).to.equal(1)
    expect(budget.selector.matchLabels).to.deep.equal(spec.template.metadata.labels)
  })

  it('has only settings that there are', () => {
    const text = plain(readFileSync(join(chart, 'templates/statefulset.yaml'), 'utf8'))
    const { spec } = parse(text) as StatefulSet
    expect(spec.selector.matchLabels).to.deep.equal(spec.template.metadata.labels)
    const { env = [], volumeMounts = [] } = spec.template.spec.containers[0] ?? {}
    const names = env.map(({ name }) => name).filter((name) => name !== 'placeholder')
    expect([...known, 'POD_NAME', 'POD_IP']).to.include.members(names)
    const volumes = [
      ...spec.template.spec.volumes.map(({ name }) => name),
      ...spec.volumeClaimTemplates.map(({ metadata }) => metadata.name),
    ]
    expect(volumes).to.have.members(volumeMounts.map(({ name }) => name))
    // Kubernetes' own WAMUX_PORT would be an address.
    expect(spec.template.spec.enableServiceLinks).to.equal(false)
  })
})

describe('the systemd unit', () => {
  it('is one in the eyes of systemd-analyze', function () {
    if (!existsSync('/usr/bin/systemd-analyze')) this.skip()
    execFileSync('systemd-analyze', ['verify', join(DEPLOY, 'systemd/wamux.service')], { stdio: 'pipe' })
  })
})

interface Compose {
  services: Record<
    string,
    {
      build?: { context: string; dockerfile: string }
      image?: string
      environment?: Record<string, string>
      secrets?: string[]
      volumes?: string[]
      depends_on?: object
    }
  >
  volumes: object
  secrets?: object
}

interface StatefulSet {
  spec: {
    replicas: number
    selector: { matchLabels: object }
    template: {
      metadata: { labels: object }
      spec: {
        enableServiceLinks: boolean
        containers: { env?: { name: string }[]; volumeMounts?: { name: string }[] }[]
        volumes: { name: string }[]
      }
    }
    volumeClaimTemplates: { metadata: { name: string } }[]
  }
}
