import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { readConfig } from '../load.ts'
import { masterKeysOf } from '../master-keys.ts'
import type { ImportSource } from './import/account.ts'
import { baileysFolders } from './import/baileys-folder.ts'
import { evolution } from './import/evolution.ts'
import { fazerAi } from './import/fazer-ai.ts'
import { runImport } from './import/run.ts'
import { wuzapi } from './import/wuzapi.ts'
import { linesOf, print } from './print.ts'

interface Options {
  dryRun?: boolean
  only?: string[]
  webhooks: boolean
  format?: string
  network: string
}

export function addImport(program: Command, env: () => Environment): void {
  const command = program
    .command('import')
    .description(
      'take linked accounts over from another gateway, without a new QR code; both must be stopped',
    )
  const from = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .option('--dry-run', 'only list what would be imported')
      .option('--only <name...>', 'only these')
      .option('--no-webhooks', 'leave webhooks out')
      .option(
        '--format <name>',
        'format of the webhooks, for example wuzapi (JSON) or wamux; that of the source when absent',
      )
      .option('--network <name>', 'network that the accounts are linked on', 'whatsapp')

  from('wuzapi', 'from a database of WuzAPI')
    .argument('<where>', 'postgres://…, or the folder "dbdata"')
    .action(async (where: string, options: Options) => run(await wuzapi(where), options, env))
  from('evolution', 'from a PostgreSQL database of Evolution API v2')
    .argument('<database>', 'postgres://…')
    .requiredOption('--keys <where>', 'redis://…, or the folder "instances" where it runs without Redis')
    .action(async (database: string, { keys, ...options }: Options & { keys: string }) =>
      run(await evolution(database, keys), options, env),
    )
  from('baileys', 'from folders of useMultiFileAuthState')
    .argument('<folder>', 'such a folder, or one that contains several; each becomes a session of that name')
    .action((folder: string, options: Options) => run(baileysFolders(folder), options, env))
  from('fazer-ai', "from the Redis of fazer-ai's baileys-api")
    .argument('<redis>', 'redis://…')
    .action(async (redis: string, options: Options) => run(await fazerAi(redis), options, env))
}

async function run(source: ImportSource, options: Options, env: () => Environment): Promise<void> {
  const { dryRun = false, only = [], webhooks, network, format } = options
  const { config } = readConfig(env())
  const { dataDir, databaseUrl: url, databaseDirectUrl: directUrl, allowWeakTokens } = config
  const { imported, refused } = await runImport(source, {
    dataDir,
    url,
    directUrl,
    allowWeakTokens,
    network,
    dryRun,
    only,
    masterKeys: () => masterKeysOf(config).keys,
    withoutWebhooks: !webhooks,
    format,
    write: (line) => print(line),
  })
  print(`${imported} ${dryRun ? 'would be imported' : 'imported'}, ${refused} refused`)
  if (refused > 0) process.exitCode = 1
  if (imported > 0 && !dryRun) print(...linesOf(NEXT))
}

const NEXT = `Start wamux: it connects them. Never start the other gateway with them again: each would disconnect the other, and its
encryption states are now outdated.
`
