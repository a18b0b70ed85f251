import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RECOMMENDED_NODE } from '../../cli/node-life.ts'
import { assembleApp } from './app.ts'

const LAUNCHER = `#!/bin/sh
# Resolves links, so that a link to it in /usr/local/bin works.
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/../libexec/node" "$here/../app/dist/config/cli/main.js" "$@"
`

/** A tarball of this platform with Node.js and everything compiled inside: it is unpacked and started. Returns its name. */
export function packStandalone(folder: string, version: string): string {
  const name = `wamux-${version}-${process.platform}-${process.arch}`
  const work = mkdtempSync(join(tmpdir(), 'wamux-release-'))
  try {
    const root = join(work, name)
    assembleApp(join(root, 'app'))
    const node = installNode(work)
    for (const part of ['bin', 'libexec']) mkdirSync(join(root, part))
    cpSync(join(node, 'bin/node'), join(root, 'libexec/node'))
    cpSync(join(node, 'LICENSE'), join(root, 'libexec/LICENSE-NODE'))
    cpSync('config/deploy/systemd', join(root, 'systemd'), { recursive: true })
    for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(file, join(root, file))
    writeFileSync(join(root, 'bin/wamux'), LAUNCHER)
    for (const file of ['bin/wamux', 'libexec/node']) chmodSync(join(root, file), 0o755)
    const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
    execFileSync('tar', ['-C', work, ...owner, '-czf', join(folder, `${name}.tar.gz`), name])
    return `${name}.tar.gz`
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The folder of npm's package with the binary, whose checksum npm compares with the registry's. */
function installNode(work: string): string {
  const name = `node-${process.platform}-${process.arch}`
  const flags = ['--no-save', '--no-audit', '--no-fund', '--silent', '--prefix', work]
  execFileSync('npm', ['install', ...flags, `${name}@${RECOMMENDED_NODE}`], { stdio: 'inherit' })
  return join(work, 'node_modules', name)
}
