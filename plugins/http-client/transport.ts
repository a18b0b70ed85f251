import type { Agent, request } from 'undici'
import type { Guard } from './guard.ts'
import { createLocalHosts, type LocalHosts } from './local-hosts.ts'

/** undici, and the agent that all requests share. */
export interface Transport {
  readonly agent: Agent
  readonly request: typeof request
}

export interface LazyTransport {
  open(): Promise<Transport>
  close(): Promise<void>
}

/** Loads undici with the first request: it has a hundred modules that a gateway without webhooks may never need. */
export function createTransport(guard: Guard, localHosts: LocalHosts = createLocalHosts()): LazyTransport {
  let opened: Promise<Transport> | undefined
  return {
    open() {
      opened ??= load(guard, localHosts)
      return opened
    },
    close: async () => (await opened)?.agent.destroy(),
  }
}

async function load(guard: Guard, localHosts: LocalHosts): Promise<Transport> {
  const { Agent, buildConnector, request } = await import('undici')
  const agent = new Agent({
    connect: localHosts.connector(buildConnector, guard.connector(buildConnector)),
    connections: 64,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    headersTimeout: 15_000,
    bodyTimeout: 15_000,
  })
  return { agent, request }
}
