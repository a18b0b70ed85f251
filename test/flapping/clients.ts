import { setTimeout as pause } from 'node:timers/promises'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { GatewayProcess } from '../support/process.ts'

/** Clients that do not repeat a request until it is answered with success, as those of the crash test's traffic do. */
export interface Clients {
  /** Texts by message id, in the order of their acceptance. */
  readonly accepted: Map<string, { text: string; token: string }>
  /** Ids whose send was answered with 200. */
  readonly answered: Set<string>
  /** Other answers, each once: status and code. */
  readonly answers: Set<string>
  /** What arrived on each phone, in its order. */
  arrived(): readonly (readonly string[])[]
  stop(): Promise<void>
}

export interface ClientsParts {
  gateway: GatewayProcess
  sessions: readonly { token: string }[]
  peers: readonly Phone[]
  group: string
}

const PAUSE_MS = 200

export function startClients({ gateway, sessions, peers, group }: ClientsParts): Clients {
  let isOver = false
  const accepted = new Map<string, { text: string; token: string }>()
  const answered = new Set<string>()
  const answers = new Set<string>()
  const arrivals = peers.map(createArrivals)

  /** Sends one message after the other to one chat; those that are not accepted are never stored. */
  async function write(name: string, token: string, to: string, header: object): Promise<void> {
    for (let n = 0; !isOver; n += 1) {
      const text = `${name} ${n}`
      const Id = text.replaceAll(' ', '-')
      const request = { Phone: to, Body: text, Id }
      const answer = await gateway.post('/send/text', request, { token, ...header }).catch(() => undefined)
      if (answer?.status === 200) answered.add(Id)
      if (answer?.success) accepted.set(Id, { text, token })
      else {
        answers.add(`${answer?.status} ${answer?.errorCode}`)
        // It may be stored all the same.
        if (answer && answer.status >= 500) accepted.set(Id, { text, token })
      }
      for (const take of arrivals) take()
      await pause(PAUSE_MS)
    }
  }

  const writers = sessions.flatMap(({ token }, at) => [
    write(`queued ${at}`, token, peers[at % peers.length]?.account.phone ?? '', { Prefer: 'respond-async' }),
    write(`grouped ${at}`, token, group, { Prefer: 'respond-async' }),
    write(`once ${at}`, token, peers[(at + 1) % peers.length]?.account.phone ?? '', {}),
  ])
  return {
    accepted,
    answered,
    answers,
    arrived: () => arrivals.map((take) => take()),
    async stop() {
      isOver = true
      await Promise.all(writers)
    },
  }
}

/** The texts that come to a phone; a phone forgets the oldest, so it is asked again and again. */
function createArrivals(phone: Phone): () => readonly string[] {
  const texts: string[] = []
  let seen = 0
  return () => {
    for (const { seq, fromMe, raw } of phone.messages(seen)) {
      seen = seq
      if (!fromMe) texts.push(raw.extendedTextMessage?.text ?? raw.conversation ?? '')
    }
    return texts
  }
}
