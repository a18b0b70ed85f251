import { atRate } from '../bench/rate.ts'
import { eventually } from '../support/eventually.ts'
import type { Fleet, FleetSession } from './fleet.ts'

/** A light load over all sessions of a fleet, each request at any of its nodes, as from a load balancer. */
export interface BalancedLoad {
  /** Sends and receives so many texts a second; resolves when all are where they belong, or nothing more comes. */
  run(seconds: number): Promise<void>
  /** Counts what has arrived. */
  look(): Promise<Tally>
}

/** Empty lists mean that nothing was lost, and nothing doubled. */
export interface Tally {
  sent: number
  /** Answers of sends that were no success. */
  failed: string[]
  /** Texts that were answered as sent, but are on no phone. */
  vanished: string[]
  /** Texts that came to a phone again. */
  repeated: string[]
  received: number
  /** Numbers of texts that did not come to the webhook. */
  lost: number[]
  /** Those that came again. */
  doubled: number[]
}

const PEERS = 10
/** Without an arrival for so long none will come. */
const QUIET_MS = 30_000

export async function openBalancedLoad(
  { nodes, network, receiver }: Fleet,
  sessions: readonly FleetSession[],
  { sends, receives }: { sends: number; receives: number },
): Promise<BalancedLoad> {
  const peers: string[] = []
  while (peers.length < PEERS) peers.push(await network.call.phone())
  const phones = sessions.map(({ phone }) => phone)
  const sent = new Set<string>()
  const failed: string[] = []
  const arrived = new Map<string, number>()
  let expected = 0

  async function send(index: number): Promise<void> {
    const node = nodes[Math.floor(Math.random() * nodes.length)]
    const { token } = sessions[index % sessions.length] as FleetSession
    const text = `out ${index}`
    const answer = await node
      ?.post('/send/text', { Phone: peers[index % PEERS], Body: text, Id: `OUT${index}` }, { token })
      .catch((error: unknown) => ({ success: false, status: 0, error: String(error) }))
    if (answer?.success) sent.add(text)
    else failed.push(`${text}: ${answer?.status} ${answer?.error}`)
  }

  async function look(): Promise<Tally> {
    for (const text of await network.call.arrived(peers))
      if (text.startsWith('out ')) arrived.set(text, (arrived.get(text) ?? 0) + 1)
    const times: readonly (number | null)[] = await receiver.call.times()
    return {
      sent: sent.size,
      failed,
      vanished: [...sent].filter((text) => !arrived.has(text)),
      repeated: [...arrived].filter(([, count]) => count > 1).map(([text]) => text),
      received: times.filter((time) => typeof time === 'number').length,
      lost: Array.from({ length: expected }, (_, number) => number).filter(
        (number) => typeof times[number] !== 'number',
      ),
      doubled: [...(await receiver.call.repeated())],
    }
  }

  return {
    look,
    async run(seconds) {
      await Promise.all([atRate(sends, seconds, send), network.call.stream(peers, phones, receives, seconds)])
      expected = Math.ceil(receives * seconds)
      let left = 0
      const isComplete = async (): Promise<boolean> => {
        const { vanished, lost } = await look()
        left = vanished.length + lost.length
        return left === 0
      }
      await eventually(isComplete, 'everything arrived', { progress: () => left, quietMs: QUIET_MS }).catch(
        () => undefined,
      )
    },
  }
}
