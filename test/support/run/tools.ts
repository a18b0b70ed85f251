import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Context } from 'mocha'
import { installPackages, isInstalled } from '../../../config/build/install.ts'

const FOLDER = 'test/tools'

/** Runs once, before any file: two processes that install into one folder remove each other's packages. */
export function installTools(): void {
  installPackages(FOLDER)
}

/** For a `before` hook: only the whole run has the tools for certain. */
export function needTools(context: Context): void {
  if (!isInstalled(FOLDER)) context.skip()
}

/** The script of a command that a package of the tools has. */
export function toolScript(name: string, command: string): string {
  const require = createRequire(resolve(FOLDER, 'package.json'))
  const manifest = require.resolve(`${name}/package.json`)
  const { bin } = require(manifest) as { bin: Record<string, string> }
  return join(dirname(manifest), bin[command] ?? '')
}
