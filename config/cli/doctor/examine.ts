import { reasonOf } from '../../../kernel/errors.ts'
import { unused } from '../../effective.ts'
import type { Environment } from '../../environment.ts'
import { type LoadedConfig, loadConfig } from '../../load.ts'
import { secondCopies } from '../../second-copies.ts'
import { describePlugins } from '../describe-plugins.ts'
import { ROOT, VERSION } from '../package.ts'
import { checkDatabase, checkMigrations } from './database.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'
import { checkDisk, checkFiles, checkNode, checkPort } from './host.ts'
import { checkMasterKey } from './master-key.ts'
import { type DataReader, openReader } from './reader.ts'
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
  let loaded: LoadedConfig
  try {
    loaded = await loadConfig(env)
  } catch (error) {
    return [...findings, fail('configuration', reasonOf(error), 'correct it, then run this again')]
  }
  const { config } = loaded
  findings.push(...configuration(loaded, env), plugins(loaded), ...(await checkFiles(config.dataDir)))
  let reader: DataReader | undefined
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

/** Receivers refuse signatures, and WhatsApp refuses links, if the clock is further off. */
const MAX_OFF_S = 60
const LOW_OFF_S = 5

/** Compares the clock with PostgreSQL's and a web server's. */
async function checkClock(url: string, reader: DataReader | undefined): Promise<Finding[]> {
  const findings: Finding[] = []
  if (reader?.now) findings.push(compare('clock of the database', await reader.now(), Date.now()))
  const began = Date.now()
  try {
    const answer = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
    })
    const date = Date.parse(answer.headers.get('date') ?? '')
    // A Date has whole seconds and was created between the request and the answer.
    const here = (began + Date.now()) / 2
    if (Number.isNaN(date)) findings.push(skip('clock', `${url} answers without a Date`))
    else findings.push(compare('clock', date + 500, here))
  } catch {
    findings.push(skip('clock', `${url} is not reachable from here`))
  }
  return findings
}

function compare(check: string, theirs: number, ours: number): Finding {
  const off = Math.round((ours - theirs) / 1000)
  const found = `${Math.abs(off)} s ${off < 0 ? 'behind' : 'ahead'}`
  const advice = 'set the clock by NTP: timedatectl set-ntp true'
  if (Math.abs(off) > MAX_OFF_S) return fail(check, found, advice)
  return Math.abs(off) > LOW_OFF_S ? warn(check, found, advice) : ok(check, 'right')
}

function configuration(loaded: LoadedConfig, env: Environment): Finding[] {
  const file = env['WAMUX_CONFIG']
  const found = file
    ? `file ${file} and the environment`
    : 'the environment; no file is named by WAMUX_CONFIG'
  const idle = unused(loaded, env)
  if (idle.length === 0) return [ok('configuration', found)]
  const advice = 'correct their names, or remove them'
  return [warn('configuration', `not a setting of anything enabled: ${idle.join(', ')}`, advice)]
}

function plugins(loaded: LoadedConfig): Finding {
  try {
    const described = describePlugins(loaded)
    const copies = secondCopies(loaded, ROOT)
    if (copies.length > 0) return warn('plugins', copies.join('; '), 'install wamux once, as their peer')
    const others = described.filter(({ version }) => version !== VERSION)
    const names = others.map(({ name, version }) => `${name} ${version}`)
    const more = names.length > 0 ? `, of other versions: ${names.join(', ')}` : ''
    return ok('plugins', `wamux ${VERSION}, ${described.length} plugins${more}`)
  } catch (error) {
    return fail('plugins', reasonOf(error), 'correct all of these; the gateway does not start before')
  }
}
