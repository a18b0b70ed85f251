import { loadConfig } from '../../config/load.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import type { Engine } from './databases.ts'
import { type TestGateway, testGateway } from './gateway.ts'
import type { LooseNetwork } from './network.ts'

/** A started gateway on a network that outlives it, and a database that the next one of the same `place` goes on with. */
export async function startOn(
  { card }: LooseNetwork,
  place: ReturnType<Engine['fresh']>,
  extra: readonly Plugin[] = [],
  config: Readonly<Record<string, Record<string, unknown>>> = {},
): Promise<TestGateway> {
  const { plugins } = await loadConfig({}, {})
  const listed = plugins.map((entry) => {
    const { name } = (entry.plugin as { spec: { name: string } }).spec
    const network = name === 'baileys' ? { network: card } : {}
    return { ...entry, config: { ...entry.config, ...network, ...config[name] } }
  })
  const gateway = testGateway({
    plugins: [...listed, ...extra.map((plugin) => ({ plugin, config: {} }))],
    ...place,
  })
  await gateway.start()
  return gateway
}
