import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Installs the packages of a test folder as locked, unless they are. */
export function installPackages(folder: string): void {
  if (isInstalled(folder)) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefix', folder], { stdio: 'inherit' })
}

/** npm writes what it has installed into node_modules, in the form of the lockfile. */
export function isInstalled(folder: string): boolean {
  const installed = `${folder}/node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  const { packages } = lockOf(`${folder}/package-lock.json`)
  const present = lockOf(installed).packages
  return Object.entries(packages).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  )
}

function lockOf(file: string): { packages: Record<string, { version?: string; optional?: boolean }> } {
  return JSON.parse(readFileSync(file, 'utf8'))
}
