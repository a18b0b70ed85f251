import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FSWatcher, watch } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { createSerialQueue } from '../../../kernel/async/serial-queue.ts'
import type { Environment } from '../../environment.ts'
import { readConfig } from '../../load.ts'
import { printError } from '../print.ts'
import { KEEP } from '../sandbox.ts'
import { pluginGroup } from './group.ts'
import { packageOf, withPluginOf } from './here.ts'

export function addPluginDev(program: Command, env: () => Environment): void {
  pluginGroup(program)
    .command('dev')
    .description(
      'run a plugin on a local network: rebuild and restart at each change; linked phones stay linked',
    )
    .addHelpText(
      'after',
      `\nRun it in the folder of the plugin: the gateway has wamux.yaml, or else the module that package.json exports.\nIt runs "npm run build", if there is such a script, and "wamux sandbox --keep" (${KEEP}).`,
    )
    .action(() => develop(env()))
}

/** Files saved together count as one change. */
const QUIET_MS = 200
/** Files written by the build, the gateway or npm are not changes of the plugin. */
const IGNORED = /(^|[/\\])(node_modules|\.git|dist|data)([/\\]|$)|\.(log|sqlite[\w-]*)$/

/** Runs until the process is asked to end. */
async function develop(given: Environment): Promise<void> {
  const { env, what } = withPluginOf(process.cwd(), given)
  const { config, base } = readConfig(env)
  const hasBuild = packageOf(base).scripts?.['build'] !== undefined
  const data = resolve(base, config.dataDir)
  const turns = createSerialQueue()
  let gateway: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let isEnding = false
  const say = (text: string): void => printError(`wamux plugin dev: ${text}`)

  function start(): void {
    const [main = ''] = process.argv.slice(1)
    const args = [...process.execArgv, main, 'sandbox', '--keep']
    const child = spawn(process.execPath, args, { env: { ...env }, stdio: 'inherit' })
    gateway = child
    child.once('exit', (code) => {
      if (gateway !== child) return
      gateway = undefined
      if (!isEnding) say(`the gateway ended with ${code ?? 'a signal'}; it starts again at the next change`)
    })
  }
  async function end(): Promise<void> {
    const child = gateway
    gateway = undefined
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  async function turn(what: string): Promise<void> {
    if (isEnding) return
    say(what)
    // The running gateway continues until a replacement is ready.
    if (hasBuild && (await run('npm', ['run', '--silent', 'build'], base, env)) !== 0)
      return say('the build failed; it runs again at the next change')
    await end()
    if (!isEnding) start()
  }

  const watcher: FSWatcher = watch(base, { recursive: true }, (_event, file) => {
    const path = resolve(base, file ?? '')
    if (!file || IGNORED.test(file) || !relative(data, path).startsWith('..')) return
    clearTimeout(timer)
    timer = setTimeout(() => void turns.run(() => turn(`${file} has changed`)), QUIET_MS)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      isEnding = true
      clearTimeout(timer)
      watcher.close()
      void turns.idle().then(end)
    })
  await turns.run(() => turn(`${hasBuild ? 'building and starting' : 'starting'}, with ${what}`))
}

/** Resolves with the exit code. */
async function run(command: string, args: readonly string[], cwd: string, env: Environment): Promise<number> {
  const child = spawn(command, [...args], { cwd, env: { ...env }, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
