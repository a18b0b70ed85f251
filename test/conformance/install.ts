import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const FOLDER = 'test/conformance'

/** Installs the clients as locked, unless they are. */
export function installClients(): void {
  if (isInstalled()) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefix', FOLDER], { stdio: 'inherit' })
}

/** npm writes what it has installed into node_modules, in the form of the lockfile. */
function isInstalled(): boolean {
  const installed = `${FOLDER}/node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  const { packages } = lockOf(`${FOLDER}/package-lock.json`)
  const present = lockOf(installed).packages
  return Object.entries(packages).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  )
}

function lockOf(file: string): { packages: Record<string, { version?: string; optional?: boolean }> } {
  return JSON.parse(readFileSync(file, 'utf8'))
}
