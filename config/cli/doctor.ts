import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { examine } from './doctor/examine.ts'
import type { Finding } from './doctor/finding.ts'
import { linesOf, print } from './print.ts'

interface Options {
  json?: true
  webhooks?: true
  clock: string
}

export function addDoctor(program: Command, env: () => Environment): void {
  program
    .command('doctor')
    .description(
      'check configuration, keys, database, disk, clock, files, port, the version of WhatsApp Web and webhooks; changes nothing',
    )
    .option('--json', 'print the findings as JSON')
    .option('--webhooks', 'send a HEAD request to every webhook')
    .option('--clock <url>', 'server whose HTTP Date the clock is compared with', 'https://web.whatsapp.com/')
    .addHelpText('after', '\nExit code: 0 if no check failed, also with warnings, 1 otherwise.')
    .action(async ({ json, webhooks, clock }: Options) => {
      const findings = await examine(env(), { clock, isAsking: webhooks ?? false })
      print(...(json ? linesOf(JSON.stringify(findings, null, 2)) : table(findings)))
      if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1
    })
}

function table(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, state, found, advice }) => [
    `${state.padEnd(4)}  ${check.padEnd(width)}  ${found}`,
    ...(advice ? [`${' '.repeat(width + 8)}→ ${advice}`] : []),
  ])
  const count = (wanted: Finding['state']): number => findings.filter(({ state }) => state === wanted).length
  const sum = `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed, ${count('skip')} skipped`
  return [...lines, '', sum]
}
