import { reasonOf } from '../../../kernel/errors.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { createGuard } from '../../../plugins/http-client/guard.ts'
import { publicError } from '../../../plugins/http-client/reason.ts'
import { createTransport } from '../../../plugins/http-client/transport.ts'
import { existingKeysOf } from '../../master-keys.ts'
import type { Config } from '../../schema.ts'
import { type Finding, fail, ok, skip } from './finding.ts'
import { openVault } from './master-key.ts'
import type { DataReader } from './reader.ts'

/** Sends a HEAD request to every address, under the rules for deliveries; any answer proves that it is reachable. */
export async function checkWebhooks(
  reader: DataReader,
  config: Config,
  isAsking: boolean,
): Promise<Finding[]> {
  let urls: string[]
  try {
    urls = await addressesOf(reader, config)
  } catch {
    return [skip('webhooks', 'their addresses are sealed by a master key that is not here')]
  }
  if (urls.length === 0) return [skip('webhooks', 'there are none')]
  if (!isAsking)
    return [skip('webhooks', `${urls.length} addresses; --webhooks sends a HEAD request to each`)]
  const guard = createGuard(config.allowPrivateHosts)
  const transport = createTransport(guard)
  try {
    return await Promise.all(urls.map((url) => reach(url, { guard, transport })))
  } finally {
    await transport.close()
  }
}

type Means = { guard: ReturnType<typeof createGuard>; transport: ReturnType<typeof createTransport> }

/** Shows only the host: a path can contain a secret. */
async function reach(url: string, { guard, transport }: Means): Promise<Finding> {
  const { host, hostname } = new URL(url)
  const check = `webhook ${host}`
  try {
    guard.checkLiteral(hostname)
    const { agent, request } = await transport.open()
    const { statusCode, body } = await request(url, {
      method: 'HEAD',
      dispatcher: agent,
      signal: AbortSignal.timeout(10_000),
    })
    await body.dump()
    return ok(check, `answers (${statusCode})`)
  } catch (error) {
    const advice = 'start the receiver, or correct its address, DNS, certificate or the firewall in between'
    return fail(check, reasonOf(publicError(error)), advice)
  }
}

async function addressesOf(reader: DataReader, config: Config): Promise<string[]> {
  const { vault, opened } = openVault(openKeyring(existingKeysOf(config)), await reader.rows('sessions'))
  const known = new Set(opened.map(({ id }) => String(id)))
  const main = opened.map(({ id, webhook }) => vault.open(String(id), 'sessions/webhook', webhook as Buffer))
  const others = (await reader.rows('webhook_endpoints'))
    .filter(({ session, first }) => known.has(String(session)) && !first)
    .map(({ id, session, url }) => vault.open(String(session), `webhook_endpoints/${id}/url`, url as Buffer))
  const urls = [...main, ...others].map(String).filter((url) => URL.canParse(url))
  return [...new Set(urls)].sort()
}
