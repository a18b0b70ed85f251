import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { startProcess } from '../../support/process.ts'
import { whole } from '../../support/run/whole.ts'

const run = promisify(execFile)
/** Between two looks, so that the build gets the processor. */
const LOOK_MS = 100
const PAGES = ['/dashboard', '/docs', '/docs/swagger-ui.css']

interface Manifest {
  readonly workspaces?: readonly string[]
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

const read = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** What a client of a page gets that has opened the document: its status, and those of the files that it names. */
async function statusesOf(url: string): Promise<number[]> {
  const document = await (await fetch(`${url}/dashboard`)).text()
  const files = [...document.matchAll(/(?:src|href)="(?:\.\/)?(assets\/[^"]+)"/g)].map(
    ([, file]) => `/dashboard/${file}`,
  )
  const answers = await Promise.all([...PAGES, ...files].map(async (path) => fetch(url + path)))
  return answers.map(({ status }) => status)
}

/** It compiles everything, with the declarations. */
whole.describe('npm run build', () => {
  it('disturbs neither a running gateway nor the command line, and gives every package its types', async function () {
    this.timeout(600_000)
    const settings = { WAMUX_DATA_DIR: temporaryFolder() }
    const gateway = await startProcess(settings, 'sandbox')
    const build = spawn('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'inherit', 'inherit'] })
    const built = once(build, 'exit') as Promise<[number | null]>
    let isBuilt = false
    void built.then(() => {
      isBuilt = true
    })
    const faults = new Map<string, number>()
    const fault = (what: string): void => void faults.set(what, (faults.get(what) ?? 0) + 1)
    const untilBuilt = async (look: () => Promise<unknown>): Promise<void> => {
      while (!isBuilt) {
        await look()
        await pause(LOOK_MS)
      }
    }
    const visit = async (): Promise<void> => {
      for (const status of await statusesOf(gateway.url)) if (status !== 200) fault(`a page: ${status}`)
    }
    const command = (): Promise<unknown> =>
      run(process.execPath, ['dist/config/cli/main.js', 'check'], {
        env: { WAMUX_DATA_DIR: temporaryFolder() },
      }).catch((error: Error) => fault(`the command line: ${/ERR_\w+|Error: .*/.exec(error.message)?.[0]}`))
    try {
      await Promise.all([untilBuilt(visit), untilBuilt(command)])
    } finally {
      await gateway.end('SIGTERM')
    }
    expect(await built).to.have.property('0', 0)
    expect(Object.fromEntries(faults)).to.deep.equal({})
    for (const folder of ['.', ...(read('.').workspaces ?? [])])
      for (const [name, entry] of Object.entries(read(folder).exports))
        if (typeof entry !== 'string')
          expect(existsSync(join(folder, entry.types)), `the types of ${folder} ${name}`).to.equal(true)
  })
})
