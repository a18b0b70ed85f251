import { reach } from './reach.ts'
import { type ConfirmSends, UNCONFIRMED } from './sends.ts'
import type { Tool } from './tools.ts'

/** A gateway, called over HTTP with the credentials of one client. */
export interface GatewayClient {
  /** Identifies the credentials. */
  readonly caller: string
  /**
   * The answer of the tool's route; a refusal is a result with `isError`. Rejects if there is no answer, and for an argument
   * that can't be part of the path.
   *
   * @param confirmSends what is refused with `unconfirmed`; absent for a call that a person has confirmed
   */
  call(tool: Tool, args: Arguments, confirmSends?: ConfirmSends): Promise<Answer>
}

export type Arguments = Readonly<Record<string, unknown>>

interface Answer {
  readonly result: ToolResult
  /** Why a person must confirm the call; absent if nobody must. */
  readonly unconfirmed?: string
}

export interface ToolResult {
  [key: string]: unknown
  isError?: boolean
  content: { type: 'text'; text: string }[]
}

export function failure(text: string): ToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

/** @param headers credentials, and the session if the key is for several */
export function createGateway(base: string, headers: Readonly<Record<string, string>>): GatewayClient {
  // It differs in each request, and does not identify the caller.
  const { traceparent: _, ...credentials } = headers
  return {
    caller: JSON.stringify(credentials),
    async call(tool, args, confirmSends) {
      const { path, query, body } = placed(tool, args)
      const answer = await reach(new URL(path + query, base), {
        method: tool.method,
        headers: {
          ...headers,
          // An assistant must learn that an argument has no effect.
          prefer: 'handling=strict',
          ...(confirmSends ? UNCONFIRMED[confirmSends] : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const { data, error, errorCode, details } = (await answer.json()) as Envelope
      if (answer.ok) return { result: { content: [{ type: 'text', text: JSON.stringify(data) }] } }
      const words = details ? `${error} (${details})` : String(error)
      const result = failure(`${errorCode}: ${words}`)
      return errorCode === 'UNCONFIRMED' ? { result, unconfirmed: details ?? words } : { result }
    },
  }
}

interface Envelope {
  data?: unknown
  error?: string
  errorCode?: string
  details?: string
}

/** Distributes the arguments over path, query and body. */
function placed({ method, path, inPath, inQuery }: Tool, args: Arguments) {
  const rest = Object.entries(args).filter(([name]) => !inPath.includes(name) && !inQuery.includes(name))
  // The route refuses unknown arguments, so they are sent as well.
  const names = [...inQuery, ...(method === 'GET' ? rest.map(([name]) => name) : [])]
  const given = names.flatMap((name): [string, string][] =>
    args[name] === undefined ? [] : [[name, String(args[name])]],
  )
  const query = new URLSearchParams(given).toString()
  return {
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, String(args[name] ?? ''))),
    query: query ? `?${query}` : '',
    body: method === 'GET' ? undefined : Object.fromEntries(rest),
  }
}

/** A value as one segment of a path. Empty and dot segments would lead to another route: a URL can't escape them. */
function segment(name: string, value: string): string {
  if (['', '.', '..'].includes(value))
    throw new Error(`FIELD_INVALID: Invalid ${name}: "${value}" is no name`)
  return encodeURIComponent(value)
}
