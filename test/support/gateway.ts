import { createGateway, type Gateway, type GatewayOptions } from '../../kernel/gateway.ts'
import { createLog } from '../../kernel/logging/log.ts'
import { migrations } from '../../migrations/index.ts'
import { type Calls, callsOf } from './calls.ts'
import { type Engine, engines } from './databases.ts'

export const ADMIN = 'admin-token-for-tests-0123456789abcdef'

export const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`

export interface TestGateway extends Gateway, Calls {
  /** Everything that was logged, line by line. */
  readonly lines: string[]
}

type Options = Partial<GatewayOptions> & Pick<GatewayOptions, 'plugins'>

/** A gateway on a fresh database and a free port, not yet started. */
export function testGateway(options: Options, engine: Engine = engines[0] as Engine): TestGateway {
  const lines: string[] = []
  const gateway = createGateway({
    migrations,
    version: '0.0.0-test',
    adminToken: ADMIN,
    keys: KEYS,
    log: createLog({ level: 'debug', stream: { write: (line: string) => void lines.push(line) } }),
    pace: { first: 20, most: 500 },
    allowPrivateHosts: ['127.0.0.1'],
    ...engine.fresh(),
    ...options,
  })
  return Object.assign(Object.create(gateway) as Gateway, callsOf(gateway), { lines })
}

/** Starts it, and stops it after the suite or test that asked. */
export async function startedGateway(options: Options, engine?: Engine): Promise<TestGateway> {
  const gateway = testGateway(options, engine)
  await gateway.start()
  return gateway
}
