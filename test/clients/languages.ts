import { spawnSync } from 'node:child_process'

/** A language that a client is written in, and how its programs are run here. */
export interface Language {
  readonly name: string
  /** Undefined if it is not installed, with what the client needs. */
  readonly command: string | undefined
  /** What to install. */
  readonly packages: string
}

/** Debian's own Python, which has Debian's packages, may stand behind another one in the path. */
export const PYTHON: Language = {
  name: 'Python with httpx',
  command: ['python3', '/usr/bin/python3'].find((command) => runs(command, ['-c', 'import httpx'])),
  packages: 'python3-httpx',
}

export const PHP: Language = {
  name: 'PHP with Guzzle',
  command: runs('php', ['-r', "require 'GuzzleHttp/autoload.php';"]) ? 'php' : undefined,
  packages: 'php-cli php-guzzlehttp-guzzle',
}

export function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 30_000 }).status === 0
}

/** For a `before` hook or a test. */
export function needLanguage(context: Mocha.Context, { name, command, packages }: Language): string {
  if (command) return command
  process.stdout.write(`    skipped: ${name} is not installed (apt-get install ${packages})\n`)
  return context.skip()
}
