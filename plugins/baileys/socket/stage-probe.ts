import type { BinaryNode } from '@whiskeysockets/baileys'
import { initAuthCreds } from '../baileys.ts'
import { createBackpressure } from './backpressure.ts'
import { type StageParts, type Stages, stagesOf } from './pipeline.ts'
import type { Emit, Receive, Send } from './stage.ts'

/** The named stage for received stanzas; undefined if sockets do not have it. */
export function receiver(
  name: string,
  parts: Partial<StageParts>,
  onEvent: (event: string, stanza: BinaryNode) => unknown,
): Receive | undefined {
  return stage<Receive>(stagesOf(probe(parts)).inbound, name, (event, stanza) => {
    onEvent(event, stanza as BinaryNode)
    return true
  })
}

/** Like `receiver`, for Baileys' events. */
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

/** Like `receiver`, for outgoing frames. */
export function sender(name: string, parts: Partial<StageParts>, last: Send): Send | undefined {
  return stage(stagesOf(probe(parts)).outbound, name, last)
}

/** Pipeline parts that do nothing, except those given by a check. */
function probe(parts: Partial<StageParts>): StageParts {
  return {
    queryTimeoutMs: 60_000,
    storeLids: async () => undefined,
    onStanza: () => undefined,
    query: async () => undefined,
    onGroupsChanged: () => undefined,
    onPairDevice: () => undefined,
    onPairSuccess: () => undefined,
    onHistory: () => undefined,
    resends: (next) => next,
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

/** A stage as used in sockets, followed by `last`; undefined if they do not have it. */
function stage<F>(stages: Stages<F>, name: string, last: F): F | undefined {
  return stages.find(([patch]) => patch === name)?.[1](last)
}
