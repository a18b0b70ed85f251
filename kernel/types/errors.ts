/** What the page of an error says, in plain text; only backticks mark code. */
export interface ErrorHelp {
  /** What the error tells the caller. */
  readonly meaning: string
  /** The usual causes. */
  readonly cause: string
  /** What to do. */
  readonly remedy: string
}

/** HTTP status, a text whose `%s` are filled in order, and help for its page. */
export type ErrorRow = readonly [status: number, text: string, help?: ErrorHelp]

/** A row of wamux itself, which has a page. */
export type ExplainedErrorRow = readonly [status: number, text: string, help: ErrorHelp]

/**
 * Codes of errors that plugins declare. Grows by declaration merging.
 *
 * @example declare module 'wamux/plugin' { interface GatewayErrors { CRM_OFFLINE: readonly [number, string] } }
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the plugins
export interface GatewayErrors {}
