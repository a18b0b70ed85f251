import { reasonOf } from '../../../kernel/errors.ts'
import type { Environment } from '../../environment.ts'
import { type Loaded, loadConfig } from '../../load.ts'
import { checkClock } from './clock.ts'
import { configuration, plugins } from './configuration.ts'
import { checkDatabase, checkMigrations } from './database.ts'
import { type Finding, fail, skip } from './finding.ts'
import { checkDisk, checkFiles, checkNode, checkPort } from './host.ts'
import { checkMasterKey } from './master-key.ts'
import { openReader, type Reader } from './reader.ts'
import { checkWebVersion } from './web-version.ts'
import { checkWebhooks } from './webhooks.ts'

export interface Asked {
  /** Address of a server whose HTTP Date the clock is compared with. */
  clock: string
  /** Whether webhooks are requested. */
  isAsking: boolean
}

/** Runs all checks, causes before their consequences. Reads the database and changes nothing. */
export async function examine(env: Environment, asked: Asked): Promise<Finding[]> {
  const findings = [checkNode()]
  let loaded: Loaded
  try {
    loaded = await loadConfig(env)
  } catch (error) {
    return [...findings, fail('configuration', reasonOf(error), 'correct it, then run this again')]
  }
  const { config } = loaded
  findings.push(...configuration(loaded, env), plugins(loaded), ...(await checkFiles(config.dataDir)))
  let reader: Reader | undefined
  let unreachable = 'there is no database yet; the first start creates it'
  try {
    reader = await openReader(config)
    findings.push(await checkDatabase(reader, config))
  } catch (error) {
    unreachable = 'the database is not readable'
    await reader?.close()
    reader = undefined
    findings.push(
      fail('database', reasonOf(error), 'start it, or correct DATABASE_URL or the rights of its files'),
    )
  }
  try {
    findings.push(
      reader ? await checkMigrations(reader, loaded) : skip('migrations', unreachable),
      await checkMasterKey(config, reader),
      await checkDisk(config.dataDir),
      ...(await checkClock(asked.clock, reader)),
      await checkPort(config),
      ...(reader ? await checkWebVersion(reader, loaded) : [skip('web version', unreachable)]),
      ...(reader ? await checkWebhooks(reader, config, asked.isAsking) : [skip('webhooks', unreachable)]),
    )
  } finally {
    await reader?.close()
  }
  return findings
}
