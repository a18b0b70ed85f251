/** The disappearing timers that the apps offer, in seconds. */
export const DISAPPEARING_TIMERS = { off: 0, '24h': 86_400, '7d': 604_800, '90d': 7_776_000 } as const
