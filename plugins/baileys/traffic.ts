import type { Metric } from 'wamux/plugin'

/** What the driver counts, over all links since the start. */
export interface Traffic {
  /** Sends that the network accepted. */
  acked: number
  /** Sends that it refused, that were refused before they left, or that were given up; `restricted` are among them. */
  refused: number
  /** Sends to a new chat that it refused because the account is restricted (463). */
  restricted: number
  /** Sends whose outcome is unknown: no ack came in time. */
  unknown: number
  /** Messages that were decrypted and logged. */
  received: number
  undecryptable: number
  /** Messages that were encrypted again because a recipient could not read them. */
  resent: number
  /** Sends that are under way now. */
  inFlight: number
  /** Stanzas that were received and are not handled yet. */
  waiting: number
  /** Links that are not read at present, because too many of these wait. */
  paused: number
}

export function createTraffic(): Traffic {
  return {
    acked: 0,
    refused: 0,
    restricted: 0,
    unknown: 0,
    received: 0,
    undecryptable: 0,
    resent: 0,
    inFlight: 0,
    waiting: 0,
    paused: 0,
  }
}

const counter = (help: string, collect: Metric['collect']): Metric => ({ type: 'counter', help, collect })

export const metricsOf = (traffic: Traffic) =>
  ({
    wamux_sends_total: counter('Messages sent, by outcome', () =>
      (['acked', 'refused', 'unknown'] as const).map((outcome) => ({
        labels: { outcome },
        value: traffic[outcome],
      })),
    ),
    wamux_sends_restricted_total: counter(
      'Refused sends to new chats, because the network restricts the account (463)',
      () => traffic.restricted,
    ),
    wamux_receives_total: counter('Messages received and logged', () => traffic.received),
    wamux_undecryptable_total: counter(
      'Received messages that could not be decrypted',
      () => traffic.undecryptable,
    ),
    wamux_resends_total: counter(
      'Messages encrypted again because a recipient could not read them',
      () => traffic.resent,
    ),
    wamux_outbox_messages: {
      type: 'gauge',
      help: 'Sends under way: neither acknowledged nor refused',
      collect: () => traffic.inFlight,
    },
    wamux_stanzas_waiting: {
      type: 'gauge',
      help: 'Stanzas that were received and are not stored and handled yet',
      collect: () => traffic.waiting,
    },
    wamux_links_paused: {
      type: 'gauge',
      help: 'Links from which nothing is read at present, because what they have received waits to be stored',
      collect: () => traffic.paused,
    },
  }) satisfies Record<string, Metric>
