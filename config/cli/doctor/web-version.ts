import type { Plugin } from '../../../kernel/types/plugin.ts'
import type { Row } from '../../../kernel/types/storage.ts'
import {
  BUILT_IN,
  compareVersions,
  daysSince,
  estimatedAt,
  parseVersion,
  textOf,
  type Version,
  versionOf,
} from '../../../plugins/baileys/web-version/revision.ts'
import type { LoadedConfig } from '../../load.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'
import type { DataReader } from './reader.ts'

const CHECK = 'web version'
/** WhatsApp refuses a version after two to five months. */
const OLD_DAYS = 45
const SOON_MS = 7 * 24 * 3_600_000
const REMEDY =
  'let the gateway reach https://web.whatsapp.com, or set WAMUX_BAILEYS_WEB_VERSION to the version of a browser'

/** The WhatsApp Web version with which links are opened, as last known to the gateway; it is not looked up here. */
export async function checkWebVersion(reader: DataReader, { plugins }: LoadedConfig): Promise<Finding[]> {
  const driver = plugins.find(({ plugin }) => (plugin as Plugin).spec.name === 'baileys')
  if (!driver) return [skip(CHECK, 'the plugin baileys is off')]
  const fixed = settingOf(driver)
  const rows = await reader.rows('baileys_web_version')
  const findings = fixed ? [ofSetting(fixed)] : rows.map(ofNetwork)
  if (findings.length === 0) return [skip(CHECK, 'it is looked up with the first link')]
  const refused = (await reader.rows('baileys_refusals')).filter(({ count }) => Number(count) > 1)
  const versions = [...new Set(refused.map(({ version }) => String(version)))]
  if (refused.length === 0) return findings
  const found = `WhatsApp refuses ${versions.join(', ')} for ${refused.length} sessions`
  return [...findings, fail('refused sessions', found, REMEDY)]
}

function ofSetting(version: Version): Finding {
  const days = Math.round(daysSince(estimatedAt(version), Date.now()))
  const found = `${textOf(version)}, which WAMUX_BAILEYS_WEB_VERSION sets, about ${days} days old`
  const isOld = days >= OLD_DAYS || compareVersions(version, versionOf(BUILT_IN.revision)) < 0
  return isOld ? warn(CHECK, found, 'set a newer one, or `auto`') : ok(CHECK, found)
}

function ofNetwork(row: Row): Finding {
  const check = row['network'] === 'whatsapp' ? CHECK : `${CHECK} (${row['network']})`
  const known = parseVersion(String(row['version'] || '0'))
  const isKnown = known[2] >= BUILT_IN.revision
  const version = textOf(isKnown ? known : versionOf(BUILT_IN.revision))
  const days = Math.floor(daysSince(isKnown ? Number(row['fetched']) : BUILT_IN.at, Date.now()))
  const source = isKnown ? `from ${row['source']}` : 'built in'
  const end = row['expires_version'] === version ? Number(row['expires']) : 0
  const left = end - Date.now()
  const facts = [`${version} ${source}, ${days} days old`]
  if (end > 0) facts.push(`WhatsApp ends it at ${new Date(end).toISOString()}`)
  if (row['problem']) facts.push(`the last look-up failed: ${row['problem']}`)
  const found = facts.join('; ')
  if (end > 0 && left <= 0) return fail(check, found, REMEDY)
  const isPressing = days >= OLD_DAYS || (end > 0 && left < SOON_MS) || Boolean(row['problem'])
  return isPressing ? warn(check, found, REMEDY) : ok(check, found)
}

function settingOf({ config = {} }: LoadedConfig['plugins'][number]): Version | undefined {
  const { webVersion } = config as { webVersion?: unknown }
  return typeof webVersion === 'string' && webVersion !== 'auto' ? parseVersion(webVersion) : undefined
}
