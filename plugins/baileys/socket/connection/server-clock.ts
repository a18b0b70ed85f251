import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'

/** The network's time, which decides what is too old or too new: this machine's clock may be wrong. */
export interface ServerClock {
  /** Milliseconds since 1970; the machine's own time until the network has sent its own. */
  now(): number
  /** Learns from the reply to a ping sent at `sentAt` (`Date.now()`): its `t` is from the middle of the round trip. */
  answered(pong: BinaryNode | undefined, sentAt: number): void
}

/** Learns the offset at login and from pongs, as WhatsApp Web does (WR protocol/keepalive.rs). */
export function createServerClock(wa: Pick<WASocket, 'ws'>): ServerClock {
  let offsetMs = 0

  function learn(t: string | undefined, at: number): void {
    const seconds = Number(t)
    if (seconds > 0) offsetMs = seconds * 1000 - at
  }

  wa.ws.on('CB:success', ({ attrs }: BinaryNode) => learn(attrs['t'], Date.now()))
  return {
    now: () => Date.now() + offsetMs,
    answered: (pong, sentAt) => learn(pong?.attrs['t'], sentAt + (Date.now() - sentAt) / 2),
  }
}
