/** Loaded into a node before its own modules: SIGWINCH blocks its event loop for two leases, as a long calculation does. */
const leaseMs = Number(process.env['WAMUX_CLUSTER_LEASE_MS'] ?? 15_000)

process.on('SIGWINCH', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * leaseMs)
})
