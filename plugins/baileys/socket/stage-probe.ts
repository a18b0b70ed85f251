import { initAuthCreds } from '../baileys.ts'
import { createBackpressure } from './backpressure.ts'
import { type StageParts, type Stages, stagesOf } from './pipeline.ts'
import type { Emit, Receive, Send } from './stage.ts'

/** The stage of received stanzas of that name; undefined if sockets do not have it. */
export function receiver(
  name: string,
  parts: Partial<StageParts>,
  onEvent: (event: string) => unknown,
): Receive | undefined {
  return stage<Receive>(stagesOf(probe(parts)).inbound, name, (event) => {
    onEvent(event)
    return true
  })
}

/** The same of Baileys' events. */
export function emitter(
  name: string,
  parts: Partial<StageParts>,
  onEvent: (event: string) => unknown = () => undefined,
): Emit | undefined {
  return stage<Emit>(stagesOf(probe(parts)).events, name, (event) => {
    onEvent(event)
    return true
  })
}

/** The same of outgoing frames. */
export function sender(name: string, parts: Partial<StageParts>, last: Send): Send | undefined {
  return stage(stagesOf(probe(parts)).outbound, name, last)
}

/** Parts of a pipeline that do nothing, except those that a check passes. */
function probe(parts: Partial<StageParts>): StageParts {
  return {
    queryTimeoutMs: 60_000,
    storeLids: async () => undefined,
    onStanza: () => undefined,
    onPairDevice: () => undefined,
    onPairSuccess: () => undefined,
    onHistory: () => undefined,
    resumed: Promise.resolve(),
    backpressure: createBackpressure(),
    gate: { enter: () => () => undefined },
    isOpen: () => true,
    creds: initAuthCreds(),
    sendNode: async () => undefined,
    acknowledge: async () => undefined,
    settled: async () => undefined,
    isHeld: () => true,
    onSilence: () => undefined,
    onFailure: () => undefined,
    decrypt: async () => true,
    requestAgain: async () => undefined,
    ...parts,
  }
}

/** A stage as sockets have it, with `last` behind it; undefined if they do not have it. */
function stage<F>(stages: Stages<F>, name: string, last: F): F | undefined {
  return stages.find(([patch]) => patch === name)?.[1](last)
}
