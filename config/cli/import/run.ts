import type { SessionRow } from '../../../kernel/sessions/session-row.ts'
import { commandFailed, isGatewayError, reasonOf } from '../../errors.ts'
import type { Candidate, ImportedAccount, ImportSource } from './account.ts'
import { type ImporterOptions, openImporter } from './importer.ts'

export interface RunOptions extends ImporterOptions {
  /** Only lists the accounts that would be imported. A missing or older database still gets its tables. */
  dryRun: boolean
  /** Only those with these names; all when empty. */
  only: readonly string[]
  withoutWebhooks: boolean
  /** Format of the webhooks in place of that of the source. */
  format?: string | undefined
  write(line: string): void
}

/**
 * Imports the accounts of a source, each in its own transaction.
 *
 * @returns how many were imported (or would be) and how many refused.
 */
export async function runImport(
  source: ImportSource,
  options: RunOptions,
): Promise<{ imported: number; refused: number }> {
  const { dryRun, only, write } = options
  let imported = 0
  let refused = 0
  try {
    const all = await source.candidates()
    const missing = only.filter((name) => !all.some(({ label }) => label === name))
    const chosen = only.length > 0 ? all.filter(({ label }) => only.includes(label)) : all
    for (const name of missing) write(`refused   ${name}: the source has no session of this name`)
    refused += missing.length
    const importer = await openImporter(options)
    const seen = new Map<string, string>()
    try {
      for (const candidate of chosen) {
        try {
          const account = await accountOf(candidate, options)
          assertUnseen(seen, candidate.label, account)
          if (dryRun) await importer.check(account)
          const session = dryRun ? undefined : await importer.add(account)
          for (const line of lines(candidate, account, session)) write(line)
          imported += 1
        } catch (error) {
          if (!isGatewayError(error)) throw error
          write(`refused   ${candidate.label}: ${reasonOf(error)}`)
          refused += 1
        }
      }
    } finally {
      await importer.close()
    }
  } finally {
    await source.close()
  }
  return { imported, refused }
}

async function accountOf(
  candidate: Candidate,
  { withoutWebhooks, format }: RunOptions,
): Promise<ImportedAccount> {
  const account = await candidate.read().catch((cause: unknown) => {
    if (isGatewayError(cause)) throw cause
    throw commandFailed(`its data is damaged: ${reasonOf(cause)}`, cause)
  })
  if (withoutWebhooks) return { ...account, webhook: '', subscribe: ['All'] }
  return format ? { ...account, format, events: undefined } : account
}

/** An account that appears twice in a source would become one device in two sessions that disconnect each other. */
function assertUnseen(seen: Map<string, string>, label: string, { creds, token }: ImportedAccount): void {
  for (const key of [creds.me.id, token]) {
    if (!key) continue
    const other = seen.get(key)
    if (other) throw commandFailed(`it has the device or the token of "${other}"`)
    seen.set(key, label)
  }
}

function lines({ label }: Candidate, account: ImportedAccount, session: SessionRow | undefined): string[] {
  const { creds, keys, token, webhook, format, subscribe, notes } = account
  const as = session ? ` as session ${session.id}` : ''
  const parts = [
    creds.me.id,
    `${countOf(keys, 'session')} Signal sessions, ${countOf(keys, 'sender-key')} sender keys, ${countOf(keys, 'pre-key')} prekeys`,
    token ? 'token kept' : 'a new token (GET /session/all)',
    ...(webhook
      ? [`webhook ${webhook} for ${subscribe.join(', ')}${format ? ` in the format ${format}` : ''}`]
      : []),
  ]
  const verb = session ? 'imported ' : 'would import'
  return [`${verb} ${label}${as}: ${parts.join('; ')}`, ...notes.map((note) => `          ${note}`)]
}

function countOf(keys: ImportedAccount['keys'], type: string): number {
  return Object.keys(keys[type] ?? {}).length
}
