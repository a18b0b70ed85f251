/**
 * Loaded into a node before its own modules: SIGWINCH blocks its event loop for two leases, as a long calculation does. It does so
 * at the worst moments in turn: beside the writing of a frame, and in a turn of the event loop of its own.
 */
import { onFailpoint } from '../support/failpoints.ts'

const MOMENTS = ['after:frame', 'before:frame', undefined] as const
const leaseMs = Number(process.env['WAMUX_CLUSTER_LEASE_MS'] ?? 15_000)
let signals = 0
let awaited: string | undefined

process.on('SIGWINCH', () => {
  awaited = MOMENTS[signals % MOMENTS.length]
  signals += 1
  if (awaited === undefined) block()
})
onFailpoint((name) => {
  if (name !== awaited) return
  awaited = undefined
  block()
})

function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * leaseMs)
}
