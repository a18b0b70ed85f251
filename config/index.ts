/** The package's main entry: a gateway to start from code. `wamux/plugin` is the entry for plugins. */

export type { Listed } from '../kernel/wiring/prepare.ts'
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
export { createLog } from './logging/log.ts'
