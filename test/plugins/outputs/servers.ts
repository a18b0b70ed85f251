import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../../config/build/port.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { isWhole } from '../../support/run/whole.ts'

/** A real broker in processes of its own, whose data outlives it. */
export interface BrokerServer {
  readonly port: number
  start(): Promise<void>
  /** SIGKILL: nothing is flushed, all connections end. */
  kill(): Promise<void>
  /** SIGSTOP: its connections stay open, and it answers nothing until `resume`. */
  pause(): void
  resume(): void
}

export interface Command {
  readonly tool: string
  /** Arguments and environment of a server that keeps its data in `folder`. */
  run(
    port: number,
    folder: string,
  ): readonly [args: readonly string[], env?: Readonly<Record<string, string>>]
}

export const COMMANDS = {
  nats: {
    tool: '/usr/sbin/nats-server',
    run: (port, folder) => {
      const lines = ['jetstream {', `  store_dir: "${folder}"`, '}', 'max_payload: 40000']
      const file = write(folder, 'nats.conf', lines)
      return [['-a', '127.0.0.1', '-p', String(port), '-c', file]]
    },
  },
  redis: {
    tool: '/usr/bin/redis-server',
    run: (port, folder) => [
      [
        '--bind',
        '127.0.0.1',
        '--port',
        String(port),
        '--dir',
        folder,
        '--appendonly',
        'yes',
        '--appendfsync',
        'always',
      ],
    ],
  },
  mosquitto: {
    tool: '/usr/sbin/mosquitto',
    run: (port, folder) => {
      const kept = ['persistence true', `persistence_location ${folder}/`]
      const often = ['autosave_on_changes true', 'autosave_interval 1', 'user root']
      const lines = [
        `listener ${port} 127.0.0.1`,
        'allow_anonymous true',
        'max_packet_size 40000',
        ...kept,
        ...often,
      ]
      return [['-c', write(folder, 'mosquitto.conf', lines)]]
    },
  },
  rabbitmq: {
    // Not the wrapper in /usr/sbin, which changes the user.
    tool: '/usr/lib/rabbitmq/bin/rabbitmq-server',
    run: (port, folder) => {
      const file = write(folder, 'rabbitmq.conf', [
        `listeners.tcp.1 = 127.0.0.1:${port}`,
        'max_message_size = 40000',
      ])
      const env = {
        HOME: folder,
        RABBITMQ_NODENAME: `wamux${port}@localhost`,
        // Below those that the system gives to connections, which could have it when the server starts.
        RABBITMQ_DIST_PORT: String(20_000 + (port % 10_000)),
        RABBITMQ_CONF_ENV_FILE: write(folder, 'env.conf', []),
        RABBITMQ_CONFIG_FILE: file,
        RABBITMQ_ENABLED_PLUGINS_FILE: write(folder, 'enabled_plugins', ['[].']),
        RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
        RABBITMQ_LOG_BASE: join(folder, 'log'),
        ERL_EPMD_ADDRESS: '127.0.0.1',
        // Threads that spin on a machine of few processors.
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+sbwt none +sbwtdcpu none +sbwtdio none',
      }
      return [[], env]
    },
  },
} as const satisfies Record<string, Command>

export type BrokerKind = keyof typeof COMMANDS

export const isInstalled = (kind: BrokerKind): boolean => existsSync(COMMANDS[kind].tool) || isWhole

/** Servers of this test run that still run. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) signal(child, 'SIGKILL')
})

/** A server of that kind on a port of its own, not yet started. */
export const createServer = (kind: BrokerKind): Promise<BrokerServer> => createServerOf(COMMANDS[kind])

export async function createServerOf({ tool, run }: Command): Promise<BrokerServer> {
  const port = await freePort()
  const folder = temporaryFolder()
  let child: ChildProcess | undefined
  return {
    port,
    async start() {
      const [args, env = {}] = run(port, folder)
      // A group of its own: the script of RabbitMQ starts the server as its child.
      const started = spawn(tool, args, {
        stdio: 'ignore',
        detached: true,
        env: { PATH: process.env['PATH'], ...env },
      })
      running.add(started)
      started.once('exit', () => running.delete(started))
      child = started
      const hasEnded = (): boolean => started.exitCode !== null || started.signalCode !== null
      const accepted = async (): Promise<boolean> => hasEnded() || accepts(port)
      await eventually(accepted, `${tool} accepts connections`, { progress: () => Date.now() })
      if (hasEnded()) throw new Error(`${tool} ended at its start`)
    },
    async kill() {
      const killed = child
      if (!killed || killed.exitCode !== null || killed.signalCode !== null) return
      const ended = once(killed, 'exit')
      signal(killed, 'SIGKILL')
      await ended
      await eventually(async () => !(await accepts(port).catch(() => false)), `${tool} gone`)
    },
    pause: () => signal(child, 'SIGSTOP'),
    resume: () => signal(child, 'SIGCONT'),
  }
}

/** To the whole group. */
function signal(child: ChildProcess | undefined, name: NodeJS.Signals): void {
  if (child?.pid) process.kill(-child.pid, name)
}

export function write(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}
