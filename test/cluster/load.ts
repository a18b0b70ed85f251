import type { Fleet } from './fleet.ts'

const SESSIONS_A_NODE = 4

/** Traffic of a fleet, at the same rate on each node. */
export interface Load {
  /** Sends for so many seconds, through the node `shift` places behind the one that serves the session. */
  send(seconds: number, shift?: number): Promise<void>
  /** Receives for so many seconds, until all of it is at the webhook. */
  receive(seconds: number): Promise<void>
}

/** Links the sessions. @param rate messages a second and node. */
export async function openLoad(fleet: Fleet, rate: number): Promise<Load> {
  const { client, network, nodes, receiver } = fleet
  const sessions = await Promise.all(
    Array.from({ length: nodes.length * SESSIONS_A_NODE }, (_, index) => fleet.link(index)),
  )
  const owners = await fleet.owners()
  const served = (node: number) => sessions.filter(({ id }) => (owners.get(id) ?? 0) === node)
  const to = `${await network.call.phone()}@s.whatsapp.net`
  const from = await network.call.phone()
  const phones = sessions.map(({ phone }) => phone)
  let arrived = 0
  return {
    async send(seconds, shift = 0) {
      const refusals = await Promise.all(
        nodes.map((_, node) =>
          client.call.stream(
            served(node).map((session) => session.text(node + shift, to)),
            rate,
            seconds,
          ),
        ),
      )
      const [first] = refusals.flat()
      if (first !== undefined) throw new Error(`${refusals.flat().length} sends were refused: ${first}`)
    },
    async receive(seconds) {
      const count = rate * nodes.length
      arrived += count * seconds
      await network.call.stream([from], phones, count, seconds)
      await receiver.call.reached(arrived)
    },
  }
}
