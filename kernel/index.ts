/** The package's main entry: a gateway to start from code. `wamux/plugin` is the entry for plugins. */
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
export { createLog } from '../config/logging/log.ts'
export type { Listed } from './wiring/prepare.ts'
