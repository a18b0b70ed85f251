import { reach } from './reach.ts'
import type { Tool } from './tools.ts'

/** A gateway, called over HTTP with the credentials of one client. */
export interface Gateway {
  /** Identifies the credentials. */
  readonly caller: string
  /** The answer of the tool's route; a refusal is a result with `isError`. Rejects when there is none. */
  call(tool: Tool, args: Readonly<Record<string, unknown>>): Promise<ToolResult>
}

export interface ToolResult {
  [key: string]: unknown
  isError?: boolean
  content: { type: 'text'; text: string }[]
}

/** @param headers credentials, and the session for a key that is for several */
export function createGateway(base: string, headers: Readonly<Record<string, string>>): Gateway {
  return {
    caller: JSON.stringify(headers),
    async call(tool, args) {
      const { path, query, body } = placed(tool, args)
      const answer = await reach(new URL(path + query, base), {
        method: tool.method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const { data, error, errorCode, details } = (await answer.json()) as Envelope
      if (answer.ok) return { content: [{ type: 'text', text: JSON.stringify(data) }] }
      const text = [`${errorCode}: ${error}`, details].filter(Boolean).join(' (') + (details ? ')' : '')
      return { isError: true, content: [{ type: 'text', text }] }
    },
  }
}

interface Envelope {
  data?: unknown
  error?: string
  errorCode?: string
  details?: string
}

/** Puts the arguments where the route takes them. */
function placed({ method, path, inPath, inQuery }: Tool, args: Readonly<Record<string, unknown>>) {
  const rest = Object.entries(args).filter(([name]) => !inPath.includes(name) && !inQuery.includes(name))
  const given = inQuery.flatMap((name): [string, string][] =>
    args[name] === undefined ? [] : [[name, String(args[name])]],
  )
  const query = new URLSearchParams(given).toString()
  return {
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(args[name] ?? ''))),
    query: query ? `?${query}` : '',
    body: method === 'GET' ? undefined : Object.fromEntries(rest),
  }
}
