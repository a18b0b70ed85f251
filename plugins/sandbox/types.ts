/** The seam between the simulated network (network/) and the simulated phones (phone/). */

/** A stanza. Attribute values are strings; text content is bytes. */
export interface Stanza {
  tag: string
  attrs: Record<string, string>
  content?: Stanza[] | Buffer | string
}

/** One person's account on the network. */
export interface Account {
  /** Digits. */
  readonly phone: string
  /** `<phone>@s.whatsapp.net` */
  readonly jid: string
  /** `<digits>@lid` */
  readonly lid: string
  name: string
  readonly business: boolean
}

/** What a bot shows of itself. */
export interface BotProfile {
  readonly persona: string
  readonly name: string
  readonly description: string
  readonly category: string
  readonly isDefault: boolean
  readonly prompts: readonly { emoji: string; text: string }[]
  readonly commands: readonly { name: string; description: string }[]
}

/** A companion that waits for a phone: an open, registered, unpaired connection. */
export interface Unpaired {
  /** The ref that it shows now, as in its QR text. */
  readonly ref: string
}

/** What a companion asked of a phone when it wants to link by code. */
export interface LinkCodeRequest {
  readonly ref: string
  /** salt 32 ‖ iv 16 ‖ AES-256-CTR(companion ephemeral public key) */
  readonly wrappedEphemeral: Buffer
  /** The companion's Noise public key. */
  readonly serverAuthKey: Buffer
  readonly platformDisplay: string
}

/** The phone's end of its own line; the network calls it. */
export interface Line {
  /** Messages, receipts, notifications, acks, presence, calls: the same stanzas that a companion gets. */
  receive(stanza: Stanza): void
  /** A companion asked for a link by code. */
  linkCode(request: LinkCodeRequest): void
}

/** The network's end of a phone's line; the phone calls it. Device 0 of its account. */
export interface Uplink {
  send(stanza: Stanza): void
  /** Rejects with the error stanza's code and text. */
  query(iq: Stanza): Promise<Stanza>
  /** Stores encrypted bytes on the media host; `kind` as in the upload path (`image`, `video`, `md-msg-hist` …). */
  upload(kind: string, encrypted: Buffer): Promise<{ url: string; directPath: string }>
  download(directPath: string): Promise<Buffer>
  /** Off line, the network keeps what comes for it; on line again, it gets all of that. */
  switch(isOn: boolean): void
}

export interface SimulatedNetwork {
  /** `ws://127.0.0.1:<port>/ws/chat` */
  readonly url: string
  /** `127.0.0.1:<port>` */
  readonly mediaHost: string
  /** PEM of the authority that signed the media host's certificate. */
  readonly ca: string
  /** Public key, 32 bytes, that signs the Noise certificate chain. */
  readonly rootKey: Buffer
  /** Throws when the phone number is taken. */
  createAccount(options: { phone?: string; name?: string; business?: boolean }): Account
  /** An account that belongs to no person; `id` is the user part of its JID. */
  createBot(id: string, profile: BotProfile): Account
  account(phoneOrJid: string): Account | undefined
  accounts(): Account[]
  /** Puts the account's phone (device 0) on line. */
  connectPhone(account: Account, line: Line): Uplink
  /** Index for the account's next companion. */
  nextDevice(account: Account): number
  unpaired(ref: string): Unpaired | undefined
  /** Hands the phone's answer to the companion, and its `companion_finish` back to the phone. */
  primaryHello(
    ref: string,
    hello: { wrappedEphemeral: Buffer; identity: Buffer },
  ): Promise<{ wrappedBundle: Buffer; companionIdentity: Buffer }>
  /**
   * Ends a link by QR or code: passes the signed device identity to the companion and enters its device.
   * `secretId` is the SHA-256 (hex) of the adv secret that the phone read, so that a retired one is refused.
   * Resolves with the companion's JID after its signature arrived; rejects when it closes instead.
   */
  pair(
    ref: string,
    account: Account,
    link: { device: number; signedIdentityHmac: Buffer; secretId: string },
  ): Promise<string>
  /** Everything that GET /sandbox/network shows. */
  view(): Record<string, unknown>
  /** What GET /sandbox/phones/:phone shows of one account. */
  viewAccount(account: Account): Record<string, unknown>
  /** Arms a fault; throws FIELD_INVALID for one that doesn't exist. */
  fault(fault: { Phone?: string; Fault: string; [field: string]: unknown }): void
  close(): Promise<void>
}
