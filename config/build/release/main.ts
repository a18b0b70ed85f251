/**
 * `npm run release -- --dry-run` makes everything that a release consists of, in `release/`, and publishes nothing: the packages, a
 * tarball of this platform with Node.js inside, the installer, the notes and the checksums. Without `--dry-run` it also publishes the packages with
 * their provenance, which npm accepts from a workflow only (.github/workflows/release.yml). `--app FOLDER` makes the folder of the
 * image alone, `--only tarball` that tarball alone.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { assembleApp } from './app.ts'
import { isReleased, notesOf } from './notes.ts'
import { packStandalone } from './standalone.ts'

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    app: { type: 'string' },
    only: { type: 'string' },
    tag: { type: 'string' },
    // The address at which the files of the release will be, for the installer.
    from: { type: 'string' },
  },
})
if (values.app) assembleApp(resolve(values.app))
else release()

function release(): void {
  const { version, workspaces } = read('package.json')
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  for (const folder of workspaces ?? []) {
    const { name, version: own } = read(join(folder, 'package.json'))
    if (own !== version)
      throw new Error(`${name} is ${own}, wamux is ${version}: they are published together`)
  }
  if (values.tag && values.tag !== `v${version}`)
    throw new Error(`the tag ${values.tag} is not that of version ${version}`)
  if (!values['dry-run'] && !isReleased(changelog, version))
    throw new Error(`CHANGELOG.md has no section "## ${version} (date)"`)
  const folder = resolve('release')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  run('npm', 'run', '--silent', 'build')
  if (values.only !== 'tarball') {
    const all = ['--workspaces', '--include-workspace-root']
    run('npm', 'pack', '--silent', '--ignore-scripts', ...all, '--pack-destination', folder)
    writeFileSync(join(folder, 'NOTES.md'), notesOf(changelog, version))
    const installer = readFileSync('config/deploy/install.sh', 'utf8')
    writeFileSync(join(folder, 'install.sh'), installer.replace(/^FROM=''$/m, `FROM='${values.from ?? ''}'`))
  }
  packStandalone(folder, version)
  const files = readdirSync(folder).sort()
  const sums = files.map((file) => `${sumOf(join(folder, file))}  ${file}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(sums.join(''))
  if (values['dry-run'] || values.only) return
  const packages = files.filter((file) => file.endsWith('.tgz'))
  for (const file of packages)
    run('npm', 'publish', '--ignore-scripts', '--provenance', '--access', 'public', join(folder, file))
}

function read(file: string): { name: string; version: string; workspaces?: string[] } {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
}
