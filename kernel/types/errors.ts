/** HTTP status, and a text whose `%s` are filled in order. */
export type ErrorRow = readonly [status: number, text: string]

/**
 * Codes of errors that plugins declare. Grows by declaration merging.
 *
 * @example declare module 'wamux/plugin' { interface GatewayErrors { CRM_OFFLINE: readonly [number, string] } }
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the plugins
export interface GatewayErrors {}
