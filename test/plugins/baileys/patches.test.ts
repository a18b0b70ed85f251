import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'chai'
import { PATCHES } from '../../../plugins/baileys/baileys.ts'
import { SOCKET_PATCHES } from '../../../plugins/baileys/socket/patches.ts'
import { scriptOf } from '../../support/process.ts'
import { whole } from '../../support/run/whole.ts'

const UNPATCHED = './test/plugins/baileys/unpatched.ts'
const SOURCE = ['--conditions=wamux:source', '--import', 'tsx', '--import', UNPATCHED]
/** Of the build: from source, each self-test would take four times as long. */
const SELF_TEST = `
  const { omitted } = await import('./build/plugins/baileys/patches/omitted.js')
  omitted.patches.add(process.env.WAMUX_TEST_UNPATCHED)
  const { selfTest } = await import('./build/plugins/baileys/self-test.js')
  await selfTest().then(() => process.exit(0), ({ message }) => {
    console.log(message)
    process.exit(1)
  })
`

/** The exit and the output of a process without that patch. */
async function without(patch: string, args: readonly string[]) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, WAMUX_TEST_UNPATCHED: patch },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += String(data)))
  // Without a patch a process may not end.
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const [code, signal] = await once(child, 'exit')
  clearTimeout(limit)
  return { code, isHanging: signal === 'SIGKILL', printed }
}

describe('without a patch of Baileys', function () {
  this.timeout(180_000)

  for (const { name, test: file } of [...PATCHES, ...SOCKET_PATCHES]) {
    // Each starts a process: a plain run has one of either list.
    const test = [PATCHES[0]?.name, SOCKET_PATCHES[0]?.name].includes(name) ? it : whole.it
    test(`${name}: the self-test fails and names it`, async () => {
      const { code, printed } = await without(name, scriptOf(SELF_TEST))
      expect(printed).to.include(`the patch "${name}" of `)
      expect(code).to.equal(1)
    })

    // Each runs a whole test file up to its limits.
    whole.it(`${name}: its own test fails (${file})`, async () => {
      expect(existsSync(file), file).to.equal(true)
      const mocha = [resolve('node_modules/mocha/bin/mocha.js'), '--no-config', '--extension', 'ts']
      const args = [...SOURCE, ...mocha, '--bail', '--exit', '--timeout', '5000', file]
      const { code, isHanging, printed } = await without(name, args)
      expect(code, printed).to.not.equal(0)
      if (!isHanging) expect(printed).to.match(/\d+ failing/)
    })
  }

  whole.it('none: the self-test passes with all patches', async () => {
    const { code } = await without('none', scriptOf(SELF_TEST))
    expect(code).to.equal(0)
  })
})
