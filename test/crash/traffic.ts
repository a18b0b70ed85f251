import { setTimeout as pause } from 'node:timers/promises'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { GatewayProcess } from '../support/process.ts'

/** Traffic both ways that goes on while the gateway dies and comes back. */
export interface Traffic {
  /** Texts that phones sent, by message id. */
  readonly received: Map<string, string>
  /** Texts whose send was answered with success. */
  readonly sent: Set<string>
  /** Answers that were neither success nor worth another try. */
  readonly refused: string[]
  /** Answers that asked for another try: status and error. */
  readonly postponed: Set<string>
  /** The gateway as it lives now; undefined while it is dead. */
  gateway: GatewayProcess | undefined
  /** How often each text came to each of the peers. */
  arrived(): readonly ReadonlyMap<string, number>[]
  /** Resolves with the next send that succeeds. */
  nextSent(): Promise<void>
  /** Ends it; open sends are tried until they are answered, or until none was answered for `ms`. */
  stop(ms: number): Promise<void>
}

export interface TrafficParts {
  /** Tokens of the sessions, with the number of the account behind each. */
  sessions: readonly { token: string; phone: string }[]
  peers: readonly Phone[]
  group: string
  /** Stanzas that wait for the gateway: phones that are far ahead of it pause, as a gateway that dies all the time never catches up. */
  waiting?(): number
  /** Milliseconds between two sends of one client. */
  writeMs?: number
}

/** Milliseconds between two messages of one phone. */
const PAUSE_MS = 150
const WAITING_MOST = 500

export function startTraffic({
  sessions,
  peers,
  group,
  waiting = () => 0,
  writeMs = 0,
}: TrafficParts): Traffic {
  let isOver = false
  let count = 0
  let giveUpAt = Number.POSITIVE_INFINITY
  let lastMs = 0
  const hopeful = new Set<() => void>()
  const tallies = peers.map(createTally)
  const traffic: Traffic = {
    received: new Map(),
    sent: new Set(),
    refused: [],
    postponed: new Set(),
    gateway: undefined,
    arrived: () => tallies.map((take) => take()),
    nextSent: () => new Promise((resolve) => hopeful.add(resolve)),
    async stop(ms) {
      isOver = true
      lastMs = ms
      giveUpAt = Date.now() + ms
      await Promise.all(workers)
    },
  }
  const targetsOf = (index: number): string =>
    index % 3 === 2 ? group : (sessions[index % sessions.length]?.phone ?? '')

  async function talk(phone: Phone): Promise<void> {
    for (let i = 0; !isOver; i += 1) {
      const text = `in ${phone.account.phone} ${i}`
      traffic.received.set(await phone.send(targetsOf(i), { Text: text }), text)
      traffic.arrived()
      do await pause(PAUSE_MS)
      while (!isOver && waiting() > WAITING_MOST)
    }
  }

  async function write({ token }: { token: string }): Promise<void> {
    while (!isOver) {
      count += 1
      const text = `out ${count}`
      const peer = peers[count % peers.length]?.account.phone ?? ''
      await deliver(token, { Phone: count % 4 === 0 ? group : peer, Body: text, Id: `OUT${count}` }, text)
      if (writeMs > 0 && !isOver) await pause(writeMs)
    }
  }

  /** The same request, until it is answered: what a careful client does. */
  async function deliver(token: string, body: object, text: string): Promise<void> {
    for (;;) {
      const answer = await traffic.gateway?.post('/send/text', body, { token }).catch(() => undefined)
      if (answer?.success) {
        traffic.sent.add(text)
        if (isOver) giveUpAt = Date.now() + lastMs
        for (const resolve of hopeful) resolve()
        hopeful.clear()
        return
      }
      // Not up yet, cut off, unanswered: again. Anything else is a defect that the report shows.
      if (answer && ![409, 502, 503, 504, 507].includes(answer.status)) {
        traffic.refused.push(`${text}: ${answer.status} ${answer.error}`)
        return
      }
      if (answer) traffic.postponed.add(`${answer.status} ${answer.error}`)
      if (Date.now() > giveUpAt) {
        traffic.refused.push(`${text}: never answered`)
        return
      }
      await pause(20)
    }
  }

  const workers = [...peers.map(talk), ...sessions.flatMap((session) => [write(session), write(session)])]
  return traffic
}

/** Counts the texts that come to a phone; a phone forgets the oldest, so it is asked again and again. */
function createTally(phone: Phone): () => ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  let seen = 0
  return () => {
    for (const { seq, fromMe, raw } of phone.messages(seen)) {
      seen = seq
      const text = raw.extendedTextMessage?.text ?? raw.conversation ?? ''
      if (!fromMe) counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    return counts
  }
}
