import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { startTestGateway, type TestGateway } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import { parse } from 'yaml'
import { freePort } from '../../config/build/port.ts'
import { BUILTIN } from '../../config/builtin.ts'
import { readConfig } from '../../config/load.ts'
import { referencesIn, resolveReferences } from '../../config/references.ts'
import hello from '../../config/template/src/index.ts'
import { isGatewayError, type Plugin } from '../../kernel/plugin.ts'
import { checkConfig } from '../../kernel/validate/config.ts'
import { whole } from '../support/run/whole.ts'
import { type Block, documents, inlineCommands } from './blocks.ts'
import { checkCommand } from './command-line.ts'
import { converse } from './conversation.ts'
import { CRM, declaredIn, toModule, typeCheck } from './examples.ts'
import { readersFolder } from './reader.ts'
import { commandsIn, linesOf } from './shell.ts'

/** Documents of which another test runs every block just as it stands. */
const RUN_WHOLE: Readonly<Record<string, string>> = {
  'kernel/docs/first-plugin.md': 'test/kit/packed.test.ts',
  'kernel/docs/scaling-out.md': 'test/docs/scaling-out.test.ts',
}
/** What no machine of the tests can run: only parsed, and the files that it names must be there. */
const ONLY_PARSED = ['docker', 'helm', 'kubectl', 'systemctl', 'cp', 'pip', 'composer']
/** Of the shell and the system, in blocks that are run. */
const SHELL = ['cd', 'node', 'echo', 'export', 'mkdir', 'openssl']
/** Plugins of others that configuration examples list; of the rest only the entry is checked. */
const OUTSIDE: Readonly<Record<string, Plugin>> = { 'wamux-plugin-hello': hello }

const blocks = documents.flatMap((document) => document.blocks)
const elsewhere = blocks.filter(({ file }) => file in RUN_WHOLE)
const own = blocks.filter((block) => !elsewhere.includes(block))
const of = (language: string): Block[] => own.filter((block) => block.language === language)
const nameOf = ({ file, line }: Block): string => `${file}:${line}`
const counts = new Map<string, number>()
const count = (kind: string, by = 1): void => void counts.set(kind, (counts.get(kind) ?? 0) + by)

describe('the blocks of the documents', function () {
  // Compiling all examples takes half a minute on two cores, and more beside other work.
  this.timeout(180_000)

  let gateway: TestGateway
  before(async () => {
    gateway = await startTestGateway({ plugins: [] })
  })
  after(async () => {
    await gateway.stop()
    const summary = [...counts].map(([kind, number]) => `${number} ${kind}`).join(', ')
    process.stdout.write(`    ${blocks.length} blocks in ${documents.length} documents: ${summary}\n`)
  })

  it('are all found and checked', () => {
    // Python and PHP are compiled by test/clients/packages.test.ts.
    const known = ['sh', 'ts', 'js', 'yaml', 'json', 'text', 'py', 'php']
    expect(own.filter(({ language }) => !known.includes(language)).map(nameOf)).to.deep.equal([])
    for (const { file, text, blocks: found } of documents)
      expect(found.length * 2, file).to.equal([...text.matchAll(/^\s*(```|~~~)/gm)].length)
    for (const [file, test] of Object.entries(RUN_WHOLE)) {
      expect(
        elsewhere.some((block) => block.file === file),
        file,
      ).to.equal(true)
      expect(readFileSync(test, 'utf8')).to.include(file)
    }
    count('run as they stand by tests of their own', elsewhere.length)
  })

  describe('of shell', () => {
    for (const block of blocks.filter(({ language }) => language === 'sh')) {
      const { file, text } = block
      const commands = linesOf(text).flatMap(commandsIn)
      const isOnlyParsed = commands.some(([program = '']) => ONLY_PARSED.includes(program))

      it(`${nameOf(block)} uses existing commands`, () => {
        execFileSync('bash', ['-n'], { input: text })
        for (const words of commands) {
          const [program = ''] = words
          if (['npm', 'npx', 'wamux'].includes(program)) checkCommand(file, words)
          else if (!ONLY_PARSED.includes(program))
            expect([...SHELL, 'curl'], words.join(' ')).to.include(program)
        }
        if (!isOnlyParsed) return
        const paths = commands.flat().filter((word) => /^(config|kernel|plugins)\//.test(word))
        for (const path of paths) expect(existsSync(path), path).to.equal(true)
      })

      if (elsewhere.includes(block)) continue
      if (!commands.some(([program]) => program === 'curl')) {
        count(isOnlyParsed ? 'sh only parsed' : 'sh held against commands and scripts')
        continue
      }
      it(`${nameOf(block)} runs against a gateway, which answers every call with 2xx`, async () => {
        const { folder, write } = readersFolder()
        write('data/admin-token', `${gateway.admin.admintoken}\n`)
        const calls = await converse(block, gateway, folder)
        expect(calls).to.have.length(commands.filter(([program]) => program === 'curl').length)
        for (const call of calls) expect(call).to.match(/^2\d\d /)
        count('sh run against a gateway')
      })
    }
  })

  whole.it('name existing commands in passing', () => {
    for (const document of documents)
      for (const line of inlineCommands(document))
        for (const words of commandsIn(line)) {
          checkCommand(document.file, words)
          count('commands named in passing')
        }
  })

  whole.it('of TypeScript compile as strictly as wamux itself, and the examples run', async () => {
    const { write } = readersFolder()
    write('crm.ts', CRM)
    const examples: { block: Block; path: string }[] = []
    const declared = new Map<string, string[]>()
    for (const block of of('ts')) {
      const { name, isType } = declaredIn(block) ?? {}
      // The reference gives each name under its module; its text is held against the source by test/kit/api.test.ts.
      const module = /^`((?:@wamux\/\w+|wamux)(?:\/\w+)?)`$/.exec(block.under[1] ?? '')?.[1] ?? ''
      if (name && module) {
        expect(block.under[2], nameOf(block)).to.equal(name)
        const line = `export ${isType ? 'type ' : ''}{ ${name} } from '${module}'`
        declared.set(module, [...(declared.get(module) ?? []), line])
        count('ts declarations found among the exports')
      } else {
        examples.push({ block, path: write(`example-${examples.length}.ts`, await toModule(block)) })
      }
    }
    const lists = [...declared].map(([module, lines]) =>
      write(`${module.replace(/\W+/g, '-')}.ts`, `${lines.join('\n')}\n`),
    )
    expect(typeCheck([...examples.map(({ path }) => path), ...lists])).to.deep.equal([])
    for (const { block, path } of examples) {
      const made: { default?: Plugin } = await import(pathToFileURL(path).href).catch((error: unknown) => {
        // An example of how to refuse.
        if (!(block.text.startsWith('throw ') && isGatewayError(error))) throw error
        return {}
      })
      if (made.default) await answers(made.default)
      count('ts examples run')
    }
  })

  for (const block of of('yaml')) {
    it(`${nameOf(block)} is a configuration`, async () => {
      const { write } = readersFolder()
      const value = parse(block.text) as { plugins?: Record<string, { config?: Record<string, unknown> }> }
      const env: Record<string, string> = { WAMUX_CONFIG: write('wamux.yaml', block.text) }
      for (const { $env } of referencesIn(value)) env[$env] = 'a value that is long enough: 0123456789'
      const { config } = readConfig(env)
      for (const [name, entry] of Object.entries(config.plugins ?? {})) {
        const builtin = (await BUILTIN[name]?.())?.default as Plugin | undefined
        const { spec } = builtin ?? OUTSIDE[name] ?? {}
        // A file of the reader's own.
        if (!spec) expect(name).to.match(/^\.\//)
        else if (typeof entry === 'object') {
          const faults: string[] = []
          const given = resolveReferences(entry.config ?? {}, { env, schema: spec.config, faults })
          expect(faults, name).to.deep.equal([])
          expect(checkConfig(spec.config, given as Record<string, unknown>), name).to.have.property('config')
        }
      }
      count('yaml checked as configuration')
    })
  }

  for (const block of of('js')) {
    it(`${nameOf(block)} accepts a real delivery and refuses an unsigned one`, async () => {
      const { folder, write } = readersFolder()
      const port = await freePort()
      write('receiver.js', block.text.replace('.listen(3000)', `.listen(${port}, '127.0.0.1')`))
      const session = await gateway.session()
      const url = `http://127.0.0.1:${port}/hook`
      const { data } = await session.post('/webhook', { WebhookURL: url })
      const receiver = spawn(process.execPath, ['receiver.js'], {
        cwd: folder,
        env: { WEBHOOK_SECRET: data.Secret },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(receiver, 'exit')
      try {
        const forged = { method: 'POST', body: '{"type":"Message"}' }
        expect((await whenUp(() => fetch(url, forged), receiver)).status).to.equal(401)
        const friend = await gateway.phone()
        const printed = lineOf(receiver, / Message /)
        await friend.send(session.phone.number, 'Hello')
        expect(await printed).to.match(/^\S+ Message /)
      } finally {
        receiver.kill()
        await ended
      }
      count('js receivers that took a delivery')
    })
  }

  for (const block of of('json')) {
    it(`${nameOf(block)} has the shape of a real delivery`, async () => {
      const shown = JSON.parse(block.text) as Shown
      const session = await gateway.session()
      const receiver = await gateway.receiver()
      const { format, text } = formatOf(shown)
      await session.post('/webhook', { WebhookURL: receiver.url, Format: format })
      await (await gateway.phone()).send(session.phone.number, text)
      const { body } = await receiver.wait((one) => one.body.includes(JSON.stringify(text)))
      expect(shapeOf(shown)).to.deep.equal(shapeOf(JSON.parse(body)))
      count('json held against a delivery')
    })
  }

  for (const block of of('text')) {
    it(`${nameOf(block)} names existing folders and modules`, () => {
      const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object }
      const paths = block.text.match(/\b[a-z]+\/[a-z]*/g) ?? []
      expect(paths.length).to.be.greaterThan(0)
      for (const path of paths)
        expect(existsSync(path) || path.replace('wamux', '.') in exports, path).to.equal(true)
      count('pictures whose paths are there')
    })
  }
})

/** Starts a gateway with the plugin of an example, and asks the routes that it has. */
async function answers(plugin: Plugin): Promise<void> {
  const gateway = await startTestGateway({ plugins: [plugin] })
  const { state, routes = [] } =
    gateway.describe().plugins.find(({ name }) => name === plugin.spec.name) ?? {}
  expect(state, plugin.spec.name).to.equal('ready')
  for (const { method, path, spec } of routes) {
    const expected = spec.access === 'public' ? { success: true } : { status: 401 }
    expect(await gateway.call(method, path), `${method} ${path}`).to.include(expected)
  }
  await gateway.stop()
}

/** What a call answers as soon as the process takes calls. */
async function whenUp<T>(call: () => Promise<T>, process: ChildProcess): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (process.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

async function lineOf({ stdout }: ChildProcess, pattern: RegExp): Promise<string> {
  if (!stdout) throw new Error('its output goes elsewhere')
  for await (const line of createInterface({ input: stdout })) if (pattern.test(line)) return line
  throw new Error(`it ended without a line like ${pattern}`)
}

/** Names of fields and types of values. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

/** A text as a delivery of one of the formats. */
interface Shown {
  readonly type?: string
  readonly eventId?: string
  readonly event: { readonly Message: { readonly conversation: string } }
  /** Of WAHA. */
  readonly payload?: { readonly body: string }
  /** Of Evolution API. */
  readonly data?: { readonly message: { readonly conversation: string } }
}

function formatOf({ payload, data, eventId, event }: Shown): { format: string; text: string } {
  if (payload) return { format: 'waha', text: payload.body }
  if (data) return { format: 'evolution', text: data.message.conversation }
  return { format: eventId ? 'wamux' : 'wuzapi', text: event.Message.conversation }
}
