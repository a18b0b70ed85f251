/** Counters shown by GET /sandbox/network. */
export interface Counters {
  stanzasIn: number
  stanzasOut: number
  messages: number
  duplicates: number
  /** Copies of own messages sent again because their receipt named another chat. */
  redelivered: number
  receipts: number
  retries: number
  acks: number
  refused: number
  logins: number
  /** Logins whose Noise handshake was resumed (IK). */
  resumed: number
  /** Handshakes that could not be resumed (XXfallback). */
  fallbacks: number
  pairings: number
  /** Requests for a link by code whose nonce is a digit, by which Baileys differs from WhatsApp Web. */
  digitNonces: number
  /** Requests for the service worker and the page of the web site. */
  serviceWorkers: number
  pages: number
  /** Answers with AB props, and those to a client that has them already. */
  props: number
  propsUnchanged: number
  /** Requests for a batch of an offline queue. */
  offlineBatches: number
  /** Queries without a handler, by xmlns and first child. */
  unhandled: Record<string, number>
}

export function newCounters(): Counters {
  return {
    stanzasIn: 0,
    stanzasOut: 0,
    messages: 0,
    duplicates: 0,
    redelivered: 0,
    receipts: 0,
    retries: 0,
    acks: 0,
    refused: 0,
    logins: 0,
    resumed: 0,
    fallbacks: 0,
    pairings: 0,
    digitNonces: 0,
    serviceWorkers: 0,
    pages: 0,
    props: 0,
    propsUnchanged: 0,
    offlineBatches: 0,
    unhandled: {},
  }
}
