/**
 * What the test kit in `@wamux/sandbox/testing` is built from, as `wamux/kit`. It follows the kernel from version to version:
 * plugins and their tests use the kit.
 */

export { openDatabase } from '../kernel/db/engines/open.ts'
export { migrate } from '../kernel/db/migrate.ts'
export { newAjv } from '../kernel/validate/ajv.ts'
export { type Prepared, prepare } from '../kernel/wiring/prepare.ts'
export { migrations } from '../migrations/index.ts'
export { importPlugins } from './plugins.ts'
export { purge } from './purge.ts'
