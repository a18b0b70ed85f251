/** Counters shown by GET /sandbox/network. */
export interface Counters {
  stanzasIn: number
  stanzasOut: number
  messages: number
  duplicates: number
  /** Copies of own messages sent again because their receipt named another recipient. */
  redelivered: number
  receipts: number
  retries: number
  /** Dropped retry receipts. */
  malformedRetries: number
  /** Dropped receipts with more ids than one may have. */
  oversizedReceipts: number
  /** Those that were forwarded, by the reason that they give; 0 for none. */
  retryReasons: Record<string, number>
  acks: number
  refused: number
  /** Refused messages to strangers without a token (463). */
  tokenless: number
  /** Tokens that were issued although the last one for the person is of the same bucket. */
  earlyTokens: number
  /** Messages among them with an address of the wrong space (400). */
  misaddressed: number
  /** Messages whose sender did not know all devices that they are for, or named one that there is not. */
  outdatedDevices: number
  /** Dropped messages of the type media that do not say of which kind they are. */
  droppedMedia: number
  /** Newsletter posts whose preview of a link was dropped. */
  droppedCards: number
  /** Newsletter posts of the type media that do not say of which kind they are. */
  kindlessPosts: number
  /** Status posts that do not say to whom they are shown. */
  unmarkedStatuses: number
  logins: number
  /** Logins whose Noise handshake was resumed (IK). */
  resumed: number
  /** Handshakes that could not be resumed (XXfallback). */
  fallbacks: number
  pairings: number
  /** Requests for a link by code with a digit as nonce, as sent by Baileys but not by WhatsApp Web. */
  digitNonces: number
  /** Requests for the service worker and the page of the web site. */
  serviceWorkers: number
  pages: number
  /** Queries answered with AB props, and those from clients that already had them. */
  props: number
  propsUnchanged: number
  /** Chat states that name their sender, as WhatsApp Web's do not. */
  chatStatesWithFrom: number
  /** Reports of a client's unified session, with the id that follows from the network's time. */
  unifiedSessions: number
  /** Pings by clients; pings by the network, and how many of those were answered. */
  pings: number
  serverPings: number
  serverPongs: number
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
    malformedRetries: 0,
    oversizedReceipts: 0,
    retryReasons: {},
    acks: 0,
    refused: 0,
    tokenless: 0,
    earlyTokens: 0,
    misaddressed: 0,
    outdatedDevices: 0,
    droppedMedia: 0,
    droppedCards: 0,
    kindlessPosts: 0,
    unmarkedStatuses: 0,
    logins: 0,
    resumed: 0,
    fallbacks: 0,
    pairings: 0,
    digitNonces: 0,
    serviceWorkers: 0,
    pages: 0,
    props: 0,
    propsUnchanged: 0,
    chatStatesWithFrom: 0,
    unifiedSessions: 0,
    pings: 0,
    serverPings: 0,
    serverPongs: 0,
    offlineBatches: 0,
    unhandled: {},
  }
}
