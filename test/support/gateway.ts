import type { Gateway, GatewayOptions } from '../../kernel/gateway.ts'
import { openGateway } from '../../plugins/sandbox/testing/gateway.ts'
import { type Calls, callsOf } from './calls.ts'
import { type Engine, engines } from './databases.ts'

export const ADMIN = 'admin-token-for-tests-0123456789abcdef'

export const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`

export interface TestGateway extends Gateway, Calls {
  /** Everything that was logged, line by line. */
  readonly lines: string[]
}

type Options = Partial<GatewayOptions> & Pick<GatewayOptions, 'plugins'>

/** The kit's gateway on any engine, with known tokens and keys, not yet started. */
export function testGateway(options: Options, engine: Engine = engines[0] as Engine): TestGateway {
  const lines: string[] = []
  const place = options.dataDir === undefined ? engine.fresh() : { dataDir: options.dataDir }
  const write = (line: string): void => void lines.push(line)
  const gateway = openGateway({
    adminToken: ADMIN,
    keys: KEYS,
    write,
    ...place,
    ...options,
    dataDir: place.dataDir,
  })
  return Object.assign(Object.create(gateway) as Gateway, callsOf(gateway), { lines })
}

/** The same, started. */
export async function startedGateway(options: Options, engine?: Engine): Promise<TestGateway> {
  const gateway = testGateway(options, engine)
  await gateway.start()
  return gateway
}
