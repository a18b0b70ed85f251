import type { Metric } from 'wamux/plugin'

/** Counters and gauges of the driver over all links since the start. */
export interface Traffic {
  /** Sends that the network accepted. */
  acked: number
  /** Sends refused by the network or before they left, and those given up; includes the next two. */
  refused: number
  /** Sends to a new chat refused because the account is restricted (463, 475). */
  restricted: number
  /** Sends to a stranger refused for lack of a privacy token (463). */
  tokenless: number
  /** Sends whose outcome is unknown: no ack came in time. */
  unknown: number
  /** Messages decrypted and logged. */
  received: number
  undecryptable: number
  /** Messages decrypted but not readable: their log has the event `Unreadable`. */
  unreadable: number
  /** Ciphertexts of types that nothing here opens. */
  unknownCiphertexts: number
  /** Messages encrypted again because a recipient could not read them. */
  resent: number
  /** Sends currently in flight. */
  inFlight: number
  /** Stanzas received but not yet handled. */
  waiting: number
  /** Links that are currently not read because too many of their stanzas wait. */
  paused: number
}

export function createTraffic(): Traffic {
  return {
    acked: 0,
    refused: 0,
    restricted: 0,
    tokenless: 0,
    unknown: 0,
    received: 0,
    undecryptable: 0,
    unreadable: 0,
    unknownCiphertexts: 0,
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
      'Refused sends to new chats, because the network restricts the account (463, 475)',
      () => traffic.restricted,
    ),
    wamux_sends_token_missing_total: counter(
      'Refused sends to strangers, because the session has no privacy token for them (463)',
      () => traffic.tokenless,
    ),
    wamux_receives_total: counter('Messages received and logged', () => traffic.received),
    wamux_undecryptable_total: counter(
      'Received messages that could not be decrypted',
      () => traffic.undecryptable,
    ),
    wamux_unreadable_total: counter(
      'Received messages that were decrypted but can not be read',
      () => traffic.unreadable,
    ),
    wamux_unknown_ciphertexts_total: counter(
      'Ciphertexts of received messages that have an unknown type',
      () => traffic.unknownCiphertexts,
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
      help: 'Stanzas received but not yet stored and handled',
      collect: () => traffic.waiting,
    },
    wamux_links_paused: {
      type: 'gauge',
      help: 'Links that are currently not read because too many of their stanzas wait to be stored',
      collect: () => traffic.paused,
    },
  }) satisfies Record<string, Metric>
