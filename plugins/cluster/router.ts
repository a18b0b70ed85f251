import { LRUCache } from 'lru-cache'
import {
  type GatewayError,
  gatewayError,
  isGatewayError,
  type Kernel,
  type RouteCall,
  withTimeout,
} from 'wamux/plugin'
import { CLIENT, type ForwardBody, type Forwarder, HOP, type HopHeaders } from './forward.ts'
import type { Leases, Owner } from './leases.ts'
import { type ListParts, listOf } from './lists.ts'
import type { Nodes } from './nodes.ts'
import type { NodeLeases } from './ownership.ts'
import type { ClientMarks, SignatureVerdict, Signed } from './sign.ts'
import { isSummaryStream, mergedStream } from './summary-stream.ts'
import { isUpgrade, tunnel } from './tunnel.ts'

/** Answers each request where its session is served: here, or on another node, to which it is forwarded once. */
export interface Router {
  run(call: RouteCall, next: () => Promise<unknown>): Promise<unknown>
  /** Number of requests forwarded to other nodes. */
  readonly forwarded: number
}

interface RouterParts extends Pick<Kernel<unknown>, 'sessions'> {
  held: NodeLeases
  leases: Leases
  nodes: Pick<Nodes, 'list'>
  forwarder: Forwarder
  hop: HopHeaders
  marks: ClientMarks
  verify(signed: Signed, signature: string): SignatureVerdict
  self: Owner & { readonly name: string }
  isDraining(): boolean
}

const CACHE_MS = 2_000
/** A body up to this size is kept for a repetition. */
const KEPT_BYTES = 256 * 1024
/** How long a request waits while its session changes owner, before it is refused. */
const WAIT_MS = 4_000
const RETRY_MS = 200

export function createRouter(parts: RouterParts): Router {
  const { held, leases, nodes, forwarder, sessions } = parts
  const self: Owner = parts.self
  const listParts: ListParts = { held, leases, nodes, forwarder, self: parts.self }
  const node = self.id
  const owners = new LRUCache<string, Owner>({ max: 10_000, ttl: CACHE_MS })
  let forwarded = 0

  async function ownerOf(session: string): Promise<Owner | undefined> {
    const known = owners.get(session)
    if (known) return known
    const owner = await leases.owner(session)
    if (owner) owners.set(session, owner)
    return owner
  }

  /**
   * Whether the request came from another node; rejects CLUSTER_SIGNATURE for a forged one, CLUSTER_MOVED for one meant for
   * another node.
   */
  function isHop(call: RouteCall): boolean {
    const { raw } = call
    const signature = raw.headers[HOP]
    if (signature === undefined) return false
    const signed = { method: raw.method ?? '', path: raw.url ?? '' }
    const verdict = parts.verify(signed, String(signature))
    if (verdict === 'forged') throw gatewayError('CLUSTER_SIGNATURE')
    if (verdict === 'elsewhere') throw gatewayError('CLUSTER_MOVED')
    // The connection belongs to the other node.
    call.address = parts.marks.read(String(signature), String(raw.headers[CLIENT] ?? '')) ?? call.address
    return true
  }

  /** An answer about more than one session or node, with the parts of the others. */
  async function shown(call: RouteCall, own: unknown, hop: boolean): Promise<unknown> {
    if (isSummaryStream(call, own)) return hop ? own : mergedStream(call, own, listParts)
    const list = listOf(call)
    if (!list) return own
    return hop ? list.part(own, listParts) : list.whole(call, own, listParts)
  }

  /** Undefined while no node can answer it. */
  async function attempt(
    call: RouteCall,
    session: string,
    bodies: () => Promise<ForwardBody>,
    next: () => Promise<unknown>,
  ): Promise<{ answer: unknown } | undefined> {
    let owner = await ownerOf(session)
    if (!owner || owner.id === node) {
      owners.delete(session)
      if (!held.owns(session) && (parts.isDraining() || !(await held.claim(session)))) return undefined
      if (!isRead(call)) return { answer: await next() }
      // The body can't be read from the connection twice.
      owner = self
    }
    const body = await bodies()
    try {
      if (owner !== self) forwarded += 1
      if (isUpgrade(call)) return { answer: await tunnel(call, owner, parts.hop) }
      return { answer: await forwarder.forward(call, owner, body) }
    } catch (error) {
      owners.delete(session)
      if (isGatewayError(error) && isUnsent(error)) return undefined
      throw error
    }
  }

  return {
    get forwarded() {
      return forwarded
    },
    async run(call, next) {
      const hop = isHop(call)
      try {
        const own = await next()
        return await shown(call, own, hop)
      } catch (error) {
        const session = isGatewayError(error) && error.code === 'NOT_OWNED' ? error.details : undefined
        if (!session) throw error
        if (hop) throw gatewayError('CLUSTER_MOVED')
        let body: Promise<ForwardBody> | undefined
        const bodies = (): Promise<ForwardBody> => (body ??= bodyOf(call))
        const giveUp = performance.now() + WAIT_MS
        do {
          const done = await attempt(call, session, bodies, next).catch((failure: unknown) => {
            // Lost again between the claim and the call.
            if (isGatewayError(failure) && failure.code === 'NOT_OWNED') return undefined
            throw failure
          })
          if (done) return done.answer
          // Another node may have removed it unnoticed.
          if (!(await sessions.current(session)) && !isRead(call)) return next()
          await withTimeout(new Promise<void>(() => undefined), RETRY_MS, () => undefined)
        } while (isKept(await body) && performance.now() < giveUp)
        throw gatewayError('CLUSTER_NO_OWNER', [], { retryAfter: 2 })
      }
    },
  }
}

/** Whether the other node did nothing with the request. */
function isUnsent({ code, cause }: GatewayError): boolean {
  if (code === 'CLUSTER_MOVED') return true
  const reason = (cause as { code?: string } | undefined)?.code ?? ''
  return (
    code === 'CLUSTER_NODE_FAILED' &&
    ['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH'].includes(reason)
  )
}

/** Whether its body has been read from the connection. */
const isRead = ({ raw, body }: RouteCall): boolean => body !== undefined || raw.readableEnded

const isKept = (body: ForwardBody): boolean => body === undefined || Buffer.isBuffer(body)

/** The body to forward: the parsed one, a short one as a whole, or a long one as a stream. */
async function bodyOf({ raw, body }: RouteCall): Promise<ForwardBody> {
  if (body !== undefined) return Buffer.from(JSON.stringify(body))
  const length = Number(raw.headers['content-length'] ?? (raw.headers['transfer-encoding'] ? Number.NaN : 0))
  if (length === 0) return undefined
  if (!(length <= KEPT_BYTES)) return raw
  const chunks: Buffer[] = []
  for await (const chunk of raw) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
