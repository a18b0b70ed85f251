/** The SDK: the module that plugins import as `wamux/plugin`. */
import type { TObject, TSchema } from 'typebox'
import type { Plugin, PluginSpec, ServiceName, ServiceResolvers } from './types/plugin.ts'
import type { Reply } from './types/route.ts'

export { asClass, asFunction, asValue } from 'awilix'
export type { Static, TObject, TSchema } from 'typebox'
export { Type as T } from 'typebox'
export { type Backoff, backoff } from './async/backoff.ts'
export {
  clock,
  type DueWork,
  inProgress,
  type MovableClock,
  startTimer,
  type Timer,
  type TimerOptions,
  watchDue,
} from './async/clock.ts'
export { type Coalesced, coalesce } from './async/coalesce.ts'
export { createInterval, type Interval } from './async/interval.ts'
export { createKeyedQueue, type KeyedQueue } from './async/keyed-queue.ts'
export { createSerialQueue, type SerialQueue } from './async/serial-queue.ts'
export { withTimeout } from './async/time-out.ts'
export { type WriteBehind, writeBehind } from './async/write-behind.ts'
export { type Attempt, attempting, isManual } from './attempt.ts'
export { type Contributed, contributed } from './contributed.ts'
export { defineTables, firstTables, partialIndex, required, sessionColumn } from './db/define-tables.ts'
export {
  type ErrorCode,
  errorTable,
  type GatewayError,
  gatewayError,
  isFenced,
  isGatewayError,
  isStorageError,
  reasonOf,
  storageErrorIn,
} from './errors.ts'
export { isIncluded } from './events/tail.ts'
export { UNREADABLE } from './events/unreadable.ts'
export { failpoint } from './failpoint.ts'
export { createHistogram, type Histogram } from './histogram.ts'
export { type Assets, type AssetsOptions, createAssets } from './http/assets.ts'
export { type GatewayAddress, gatewayAddress } from './http/gateway-address.ts'
export { systemViewer } from './http/viewer.ts'
export {
  chatsNamed,
  hostOf,
  isSuspect,
  LEAVING,
  type Leaving,
  type Left,
  leavingIn,
  leavingOf,
  type NamedChat,
} from './leaving.ts'
export { createPage, PAGE_BYTES, type Page, pageOf } from './page.ts'
export { isSameSecret } from './same-secret.ts'
export { createOwned, type Owned } from './sessions/owned.ts'
export type * from './types/consumers.ts'
export type * from './types/driver.ts'
export type * from './types/errors.ts'
export type * from './types/events.ts'
export type * from './types/observe.ts'
export { ALL_OWNED, FENCED_STATE, type Fence, type Ownership, type Sharing } from './types/ownership.ts'
export type { Peers } from './types/peers.ts'
export type * from './types/plugin.ts'
export type * from './types/route.ts'
export type * from './types/session.ts'
export type * from './types/storage.ts'
export type * from './types/viewer.ts'
export { checkConfig } from './validate/config.ts'
export { KINDS, type Kind } from './validate/kinds.ts'

/** Version of the plugin contract; a plugin's `api` range must include it. */
export const PLUGIN_API = '1.0.0'

/**
 * Declares a plugin. Nothing runs until a gateway starts it.
 *
 * @example
 * export default definePlugin({
 *   name: 'hello', version: '1.0.0', api: '^1.0.0',
 *   routes: (r) => [r.get('/hello', { summary: 'Says hello', access: 'public', handle: async () => ({ hello: 'world' }) })],
 * })
 */
export function definePlugin<
  const C extends TSchema = TObject<{}>,
  const N extends ServiceName = never,
  const O extends ServiceName = never,
  S extends ServiceResolvers = {},
>(spec: PluginSpec<C, N, O, S>): Plugin {
  return { $type: 'wamux/plugin', v: 1, spec }
}

/** An answer of server-sent events, unbuffered by proxies. */
export function eventStream(events: Reply['body']): Reply {
  return reply(events, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
}

/** An answer outside the JSON envelope: a page, a file, a stream. */
export function reply(body: Reply['body'], headers: Record<string, string> = {}, status = 200): Reply {
  return { $type: 'wamux/reply', status, headers, body }
}
