/** HTTP status, and text in which each `%s` is filled in order. */
export type ErrorRow = readonly [status: number, text: string]

/**
 * Codes of errors that plugins bring. Grows by declaration merging.
 *
 * @example declare module 'wamux/plugin' { interface GatewayErrors { CRM_OFFLINE: readonly [number, string] } }
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the plugins
export interface GatewayErrors {}
