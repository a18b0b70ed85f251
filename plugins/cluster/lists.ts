import { text } from 'node:stream/consumers'
import { type RouteCall, withTimeout } from 'wamux/plugin'
import type { Forwarder } from './forward.ts'
import type { Leases } from './leases.ts'

/** Admin lists with a row per session: a node knows the state of its own links, and asks the others for theirs. */
const LISTS = new Set(['GET /session/all', 'POST /session/scanned'])
/** A slower node is left out: its sessions are shown as known to this node. */
const TIMEOUT_MS = 2_000

export interface ListParts {
  leases: Leases
  forwarder: Forwarder
  node: string
}

export function isList({ route }: RouteCall): boolean {
  return LISTS.has(`${route.method} ${route.path}`)
}

/** The rows of a list, each from the node that serves its session. */
export async function merged(call: RouteCall, own: unknown, parts: ListParts): Promise<unknown> {
  const { leases, forwarder, node } = parts
  if (!Array.isArray(own)) return own
  const owners = await leases.owners()
  const others = new Map([...owners.values()].map((owner) => [owner.id, owner]))
  others.delete(node)
  const rows = new Map(own.map((row) => [idOf(row), row]))
  const ask = async (owner: { id: string; url: string }): Promise<void> => {
    const { body } = await forwarder.forward(call, owner, call.body ? Buffer.from('{}') : undefined)
    const { data } = JSON.parse(await text(body as NodeJS.ReadableStream)) as { data?: unknown }
    if (Array.isArray(data))
      for (const row of data) if (owners.get(idOf(row))?.id === owner.id) rows.set(idOf(row), row)
  }
  const asked = Promise.allSettled([...others.values()].map(ask))
  await withTimeout(asked, TIMEOUT_MS, () => undefined)
  return [...rows.values()]
}

function idOf(row: unknown): string {
  return String((row as { Id?: unknown } | null)?.Id ?? '')
}
