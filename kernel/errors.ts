import { ANSWERED } from './answered-errors.ts'
import { START_UP } from './start-up-errors.ts'
import type { ErrorRow, GatewayErrors } from './types/errors.ts'

/** The kernel's own errors. Plugins add theirs (`errors` of the contract) to the same table. */
const ERRORS = { ...ANSWERED, ...START_UP }

export type ErrorCode = keyof typeof ERRORS | (keyof GatewayErrors & string)

declare global {
  var wamuxErrors: Map<string, ErrorRow> | undefined
}

/**
 * One table for the process, not one for each gateway: errors are also thrown where there is no gateway. The rows of
 * plugins are added when a gateway is prepared. It is a global because a process can load this module twice: with a plugin
 * that has its own copy of wamux (config/second-copies.ts warns of it), and in tests, which mocha loads by `require` and the
 * gateway's plugins by `import`. Both copies must know all rows.
 */
globalThis.wamuxErrors ??= new Map<string, ErrorRow>(Object.entries(ERRORS))
const table = globalThis.wamuxErrors

/** All rows, those of plugins included. */
export function errorTable(): ReadonlyMap<string, ErrorRow> {
  return table
}

/** The kernel's rows without the start-up errors. */
export function answeredErrors(): Record<string, ErrorRow> {
  return { ...ANSWERED }
}

/** Codes that no plugin may declare. */
const reserved = new Set<string>(Object.keys(ERRORS))

export function isReserved(code: string): boolean {
  return reserved.has(code)
}

/** Adds the rows of the package that the kernel is in. */
export function reserveErrors(rows: Readonly<Record<string, ErrorRow>>): void {
  addErrors(rows)
  for (const code of Object.keys(rows)) reserved.add(code)
}

/** Adds the rows of plugins, whose conflicts were checked before (wiring/errors.ts). */
export function addErrors(rows: Readonly<Record<string, ErrorRow>>): void {
  for (const [code, row] of Object.entries(rows)) table.set(code, row)
}

export interface GatewayError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** More about the cause, safe to show to the client. */
  readonly details?: string
  /** Seconds until a retry makes sense. */
  readonly retryAfter?: number
}

export interface ErrorOptions {
  cause?: unknown
  details?: string
  retryAfter?: number
}

/** Most characters of a value or detail quoted in an error: a client may have sent any number. */
const MAX_SAID = 1_000

/** @param status 500 marks a start-up error, which is for the operator and shown in full. */
function said(value: unknown, status: number): string {
  const text = String(value)
  if (status === 500 || text.length <= MAX_SAID) return text
  // Avoids half a surrogate pair.
  return `${text.slice(0, MAX_SAID).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * An error from the table. Values from clients may have any length.
 *
 * @example throw gatewayError('FIELD_MISSING', ['Name'])
 */
export function gatewayError(
  code: ErrorCode,
  args: readonly unknown[] = [],
  options: ErrorOptions = {},
): GatewayError {
  // A code that no enabled plugin declares must not hide the reason of the error.
  const [status, template] = table.get(code) ?? [500, [code, ...args].join(' ')]
  let next = 0
  const message = template.replace(/%s/g, () => said(args[next++], status))
  const error = new Error(message, options.cause === undefined ? {} : { cause: options.cause })
  error.name = 'GatewayError'
  const { details, retryAfter } = options
  const more = details ? { details: said(details, status) } : {}
  return Object.assign(error, { code, status }, more, retryAfter && { retryAfter })
}

/** Compares by name, which works across two copies of the package. */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof Error && error.name === 'GatewayError' && 'code' in error
}

/** Whether another process has taken over the session: writes of this one are refused and left to the new owner. */
export function isFenced(error: unknown): boolean {
  return isGatewayError(error) && error.code === 'FENCED'
}

/** STORAGE_LOCKED concerns single rows, the others the whole database. */
export type StorageError = GatewayError & {
  readonly code: 'STORAGE_FAILED' | 'STORAGE_LOCKED' | 'STORAGE_UNAVAILABLE'
}

/** Whether the storage failed rather than the statement: the same call may succeed later. */
export function isStorageError(error: unknown): error is StorageError {
  return isGatewayError(error) && /^STORAGE_(FAILED|LOCKED|UNAVAILABLE)$/.test(error.code)
}

/** The storage failure behind an error, however it has been wrapped. */
export function storageErrorIn(error: unknown): StorageError | undefined {
  if (isStorageError(error)) return error
  return error instanceof Error && error.cause !== undefined ? storageErrorIn(error.cause) : undefined
}

/** The message of any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
