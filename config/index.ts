/** The package's main entry, for starting a gateway from code. `wamux/plugin` is the entry for plugins. */

export { createGateway, type Gateway, type GatewayOptions } from '../kernel/gateway.ts'
export { createLog } from '../kernel/logging/log.ts'
export type { Listed } from '../kernel/wiring/prepare.ts'
