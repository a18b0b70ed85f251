import type { Command } from 'commander'
import { markOf } from '../../kernel/logging/log.ts'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import type { Environment } from '../environment.ts'
import { readConfig } from '../load.ts'
import { existingKeysOf } from '../master-keys.ts'
import { print } from './print.ts'

export function addMark(program: Command, env: () => Environment): void {
  program
    .command('mark')
    .description('show the pseudonym of a person in the log of this gateway')
    .argument('<number>', 'phone number or LID, or a JID')
    .action((number: string) => {
      const { mac } = openKeyring(existingKeysOf(readConfig(env()).config))
      print(markOf(mac, /\d+/.exec(number)?.[0] ?? number))
    })
}
