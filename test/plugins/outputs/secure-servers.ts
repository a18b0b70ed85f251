import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Certificates } from './certificates.ts'
import {
  type BrokerKind,
  type BrokerServer,
  COMMANDS,
  type Command,
  createServerOf,
  write,
} from './servers.ts'

export interface Security {
  readonly certificates: Certificates
  /** Password of each user, read when the server starts. */
  readonly users: Readonly<Record<'wamux' | 'reader', string>>
}

/** A server that accepts connections over TLS only, with a client certificate, a user and a password. */
export function createSecureServer(kind: BrokerKind, security: Security): Promise<BrokerServer> {
  const { tool } = COMMANDS[kind]
  return createServerOf({ tool, run: (port, folder) => RUN[kind](port, folder, security) })
}

type Run = (port: number, folder: string, security: Security) => ReturnType<Command['run']>

const RUN: Readonly<Record<BrokerKind, Run>> = {
  nats(port, folder, { certificates: { ca, server }, users }) {
    const files = `cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca.cert}"`
    const logins = Object.entries(users).map(
      ([user, password]) => `{ user: "${user}", password: "${password}" }`,
    )
    const file = write(folder, 'nats.conf', [
      `listen: "127.0.0.1:${port}"`,
      `jetstream { store_dir: "${folder}" }`,
      `tls { ${files}, verify: true }`,
      `authorization { users: [ ${logins.join(', ')} ] }`,
    ])
    return [['-c', file]]
  },
  redis(port, folder, { certificates: { ca, server }, users }) {
    const [args] = COMMANDS.redis.run(port, folder)
    const sha256 = (password: string): string => createHash('sha256').update(password).digest('hex')
    // Of the commands, no more than the README of the plugin says that the user needs.
    const acl = write(folder, 'users.acl', [
      'user default off',
      `user wamux on #${sha256(users.wamux)} ~wamux:* -@all +hello +client +ping +xadd`,
      `user reader on #${sha256(users.reader)} ~* +@all`,
    ])
    const files = [
      '--tls-cert-file',
      server.cert,
      '--tls-key-file',
      server.key,
      '--tls-ca-cert-file',
      ca.cert,
    ]
    return [[...args, '--port', '0', '--tls-port', String(port), ...files, '--aclfile', acl]]
  },
  mosquitto(port, folder, { certificates: { ca, server }, users }) {
    const passwords = join(folder, 'passwords')
    writeFileSync(passwords, '', { mode: 0o600 })
    for (const [user, password] of Object.entries(users))
      execFileSync('/usr/bin/mosquitto_passwd', ['-b', passwords, user, password], { stdio: 'pipe' })
    const file = write(folder, 'mosquitto.conf', [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous false',
      `password_file ${passwords}`,
      `cafile ${ca.cert}`,
      `certfile ${server.cert}`,
      `keyfile ${server.key}`,
      'require_certificate true',
      'persistence true',
      `persistence_location ${folder}/`,
      'autosave_on_changes true',
      'autosave_interval 1',
      'user root',
    ])
    return [['-c', file]]
  },
  rabbitmq(port, folder, { certificates: { ca, server }, users }) {
    const [args, env] = COMMANDS.rabbitmq.run(port, folder)
    const names = Object.keys(users)
    const definitions = {
      vhosts: [{ name: '/' }],
      users: Object.entries(users).map(([name, password]) => ({
        name,
        password_hash: rabbitHash(password),
        hashing_algorithm: 'rabbit_password_hashing_sha256',
        tags: [],
      })),
      permissions: names.map((user) => ({ user, vhost: '/', configure: '.*', write: '.*', read: '.*' })),
    }
    const file = write(folder, 'rabbitmq-tls.conf', [
      'listeners.tcp = none',
      `listeners.ssl.1 = 127.0.0.1:${port}`,
      `ssl_options.cacertfile = ${ca.cert}`,
      `ssl_options.certfile = ${server.cert}`,
      `ssl_options.keyfile = ${server.key}`,
      'ssl_options.verify = verify_peer',
      'ssl_options.fail_if_no_peer_cert = true',
      `load_definitions = ${write(folder, 'definitions.json', [JSON.stringify(definitions)])}`,
    ])
    return [args, { ...env, RABBITMQ_CONFIG_FILE: file }]
  },
}

/** Four bytes of salt, and the SHA-256 of salt and password: https://www.rabbitmq.com/docs/passwords */
function rabbitHash(password: string): string {
  const salt = Buffer.from('salt')
  const hash = createHash('sha256').update(salt).update(password).digest()
  return Buffer.concat([salt, hash]).toString('base64')
}
