import { subscribe } from 'node:diagnostics_channel'

// Loaded into the gateway, it makes one that leaks: what a cache without a bound would keep of each request.
const kept: unknown[] = []
subscribe('http.server.request.start', () => kept.push(Array.from({ length: 2_000 }, (_, at) => ({ at }))))
