/** The interface between the simulated network (network/) and the simulated phones (phone/). */

import type { Feed } from './feed.ts'
import type { Snapshots } from './snapshots.ts'

/** A stanza. Attribute values are strings; text content is bytes. */
export interface Stanza {
  tag: string
  attrs: Record<string, string>
  content?: Stanza[] | Buffer | string
}

/** An account on the network. */
export interface Account {
  /** Phone number, digits only; the user of its LID once the number has another owner. */
  readonly phone: string
  /** `<phone>@s.whatsapp.net`; its LID once the number has another owner. */
  readonly jid: string
  /** `<digits>@lid` */
  readonly lid: string
  /** Names the stored state of its phone; unlike the number, it never changes. */
  readonly keptAs: string
  name: string
  readonly business: boolean
  /** Without @; '' for none. */
  username: string
  /** Whether others see only its LID and username. */
  readonly hidesNumber: boolean
  /** Whether its chats are addressed by LID, otherwise by phone number. */
  lidMigrated: boolean
  /** The disappearing timer of new chats in seconds, and when it was set. */
  readonly disappearing: { readonly duration: number; readonly t: number }
}

/** Of a business: who reads its chats, and where they are stored, if others than its own apps do. */
export interface PrivacyMode {
  /** `bsp`: a company that works for it; `capi`: the Cloud API, for groups. */
  readonly actors: 'self' | 'bsp' | 'capi'
  readonly storage: 'onPremise' | 'facebook'
  /** Unix seconds. */
  readonly since: number
}

export interface NewAccount {
  phone?: string
  name?: string
  business?: boolean
  username?: string
  hidesNumber?: boolean
  /** true if absent. */
  lidMigrated?: boolean
}

/** Behaviour that differs between versions of the apps; changed by the faults of these names. */
export interface Habits {
  /** Edits are sent in plain form, as by older apps. */
  readonly legacyEdits: boolean
  /** The form of the JIDs used to seal edits. */
  readonly editForm: 'pn' | 'lid'
  /** The history for a new companion contains no message secrets. */
  readonly secretless: boolean
  /** Where a new companion gets no salt for first-contact tokens: in the history, the settings, or both. */
  readonly saltless: 'history' | 'settings' | 'both' | undefined
  /** The history for a new companion names LIDs that people do not have any more. */
  readonly staleHistory: boolean
}

/** The public profile of a bot. */
export interface BotProfile {
  readonly persona: string
  readonly name: string
  readonly description: string
  readonly category: string
  readonly isDefault: boolean
  readonly prompts: readonly { emoji: string; text: string }[]
  readonly commands: readonly { name: string; description: string }[]
}

/** A registered but unpaired companion. */
interface Unpaired {
  /** The ref in its QR code. */
  readonly ref: string
}

/** A companion's request for a link by code. */
export interface LinkCodeRequest {
  readonly ref: string
  /** salt 32 ‖ iv 16 ‖ AES-256-CTR(companion ephemeral public key) */
  readonly wrappedEphemeral: Buffer
  /** The companion's Noise public key. */
  readonly serverAuthKey: Buffer
  readonly platformDisplay: string
}

/** The keys of a companion, and the secret that signs its link. */
export interface LinkTerms {
  /** Noise public key. */
  readonly noise: Buffer
  /** Identity public key. */
  readonly identity: Buffer
  readonly advSecret: Buffer
}

/** The phone's steps of linking with a passkey, in order. Each throws or rejects with the text shown by the phone. */
export interface PasskeyPrimary {
  /** Called when the network has asked the companion for the account's passkey. */
  asked(): void
  /** Takes the companion's commitment, and the proof that the phone has read its code; returns the phone's half. */
  begin(prologue: Buffer, proof: Buffer | undefined): { publicKey: Buffer; nonce: Buffer }
  /** Opens the commitment. */
  open(nonce: Buffer): void
  /** Decrypts the companion's request; resolves when the phone's user has compared the code. */
  accept(request: Buffer): Promise<LinkTerms>
}

/** Implemented by the phone, called by the network. */
export interface PhoneHandler {
  /** Receives messages, receipts, notifications, acks, presence and calls: the same stanzas as companions. */
  receive(stanza: Stanza): void
  /** Called when a companion requests a link by code. */
  linkCode(request: LinkCodeRequest): void
  /** Called when the phones' clock has been moved. */
  clockMoved?(): void
}

/** Implemented by the network, called by the phone, which is device 0 of its account. */
export interface Uplink {
  send(stanza: Stanza): void
  /** Rejects with the code and text of an error stanza. */
  query(iq: Stanza): Promise<Stanza>
  /** Stores encrypted bytes on the media host; `kind` as in the upload path (`image`, `video`, `md-msg-hist` …). */
  upload(kind: string, encrypted: Buffer): Promise<{ url: string; directPath: string }>
  download(directPath: string): Promise<Buffer>
  /** While the phone is offline, the network queues its stanzas. */
  setOnline(isOn: boolean): void
}

/** Objects with given ids, placed on a network as if they had always existed. Accounts are named by phone number. */
export interface Seed {
  readonly pictures: readonly { readonly owner: string; readonly data: Buffer }[]
  readonly groups: readonly SeededGroup[]
  readonly newsletters: readonly {
    readonly jid: string
    readonly invite: string
    readonly owner: string
    readonly name: string
    readonly description: string
    /** Phone numbers. */
    readonly admins?: readonly string[]
    /** Whom its owner has invited to administer it. */
    readonly invited?: readonly string[]
  }[]
  readonly products: readonly SeededProduct[]
  readonly orders: readonly {
    readonly id: string
    readonly token: string
    readonly buyer: string
    readonly seller: string
    readonly items: readonly { readonly id: string; readonly quantity: number }[]
  }[]
  /** Files on the media host. */
  readonly files: readonly { readonly path: string; readonly data: Buffer }[]
}

interface SeededGroup {
  readonly jid: string
  readonly owner: string
  readonly subject: string
  readonly members?: readonly string[]
  /** Code of the invite link. */
  readonly invite?: string
  /** People who ask to join. */
  readonly requests?: readonly string[]
  /** Invitations of single people by the owner. */
  readonly invitations?: readonly {
    readonly code: string
    readonly phone: string
    readonly expiration: number
  }[]
  readonly isCommunity?: boolean
}

interface SeededProduct {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly description: string
  readonly price: number
  readonly currency: string
}

export interface SimulatedNetwork {
  /** The state that the network shares with its phones. */
  readonly snapshots: Snapshots
  /** Changes on the network and its phones. */
  readonly feed: Feed
  /** `ws://127.0.0.1:<port>/ws/chat` */
  readonly url: string
  /** `127.0.0.1:<port>` */
  readonly mediaHost: string
  /** Certificate (PEM) of the authority that signed the media host's certificate. */
  readonly ca: string
  /** Public key (32 bytes) that signs the Noise certificate chain. */
  readonly rootKey: Buffer
  /** Throws if the phone number or the username is in use. */
  createAccount(options: NewAccount): Account
  /** Creates the account of a bot; `id` is the user part of its JID. */
  createBot(id: string, profile: BotProfile): Account
  account(phoneOrJid: string): Account | undefined
  accounts(): Account[]
  /** The phones' clock in Unix seconds; tests may move it. */
  now(): number
  /** The clock was set forward: phones erase what has disappeared. */
  clockMoved(): void
  /** Whether the account's phone has a version without disappearing messages. */
  isOldClient(account: Account): boolean
  /** Connects the account's phone (device 0). */
  connectPhone(account: Account, handler: PhoneHandler): Uplink
  /** Connects the account's hosted device, through which the Cloud API writes. Others learn of it once it has published keys. */
  connectHosted(account: Account, receive: PhoneHandler['receive']): Uplink
  /** The account's salt for first-contact tokens; undefined if it was withdrawn. */
  saltOf(account: Account): Uint8Array | undefined
  /** Gives the account a new salt, or withdraws it. Either invalidates all tokens made with the old one. */
  renewSalt(account: Account, isOn: boolean): Uint8Array | undefined
  /** Whether a token with this time, received by the account, is still valid. */
  isCurrentToken(account: Account, t: number): boolean
  /** Whether the account issues a person another token, if its last one has this time. */
  isTokenDue(account: Account, last: number): boolean
  /** Tells the account's correspondents that its identity key has changed, as after a new installation of its phone. */
  announceIdentity(account: Account): void
  /** Publishes the account's list of valid companions, signed by its phone (ADVSignedKeyIndexList). */
  setKeyIndexes(account: Account, signed: Buffer): void
  /** Makes the account a business with this privacy mode, which the network tells with each of its messages. */
  setPrivacyMode(account: Account, mode: PrivacyMode): void
  /** The device number of the account's next companion. */
  nextDevice(account: Account): number
  unpaired(ref: string): Unpaired | undefined
  /** Sends the phone's answer to the companion; resolves with its `companion_finish`. Only tests set another `stage`. */
  primaryHello(
    ref: string,
    hello: { wrappedEphemeral: Buffer; identity: Buffer; stage?: string },
  ): Promise<{ wrappedBundle: Buffer; companionIdentity: Buffer }>
  /**
   * Completes a link by QR or code: sends the signed device identity to the companion and adds its device.
   * `secretId` is the SHA-256 (hex) of the adv secret that the phone read; retired secrets are refused by it.
   * Resolves with the companion's JID when its signature is verified; rejects if it disconnects first.
   */
  pair(
    ref: string,
    account: Account,
    link: { device: number; signedIdentityHmac: Buffer; secretId: string },
  ): Promise<string>
  /** Adds a credential with which the account can prove its passkey. @param publicKey SPKI of a P-256 key. */
  addPasskey(account: Account, id: string, publicKey: Buffer): void
  /**
   * Asks the companion for the account's passkey, if the network requires it. Resolves with the keys and the secret that the
   * companion told the phone, otherwise with undefined. Rejects with the text shown by the phone.
   */
  passkey(
    ref: string,
    account: Account,
    secretId: string,
    primary: PasskeyPrimary,
  ): Promise<LinkTerms | undefined>
  /** Behaviour of the phones that differs between versions of the apps. */
  habits(): Habits
  /** The answer of GET /sandbox/network. */
  view(): Record<string, unknown>
  /** The answer of GET /sandbox/phones/:phone. */
  viewAccount(account: Account): Record<string, unknown>
  /** An account in the list of phones. */
  brief(account: Account): {
    companions: { jid: string; isOnline: boolean }[]
    /** LIDs. */
    blocked: string[]
    /** JIDs. */
    groups: string[]
  }
  /** Arms a fault. Throws FIELD_INVALID for an unknown one. */
  fault(fault: { Phone?: string; Fault: string; [field: string]: unknown }): void
  /** Ends one fault. Throws FIELD_INVALID for a fault that does not stay, ITEM_UNKNOWN for an unknown phone. */
  endFault(fault: { Phone?: string; Fault: string }): void
  /** The armed faults. */
  faults(): { Phone?: string; Fault: string }[]
  /** Whether the account's 1:1 chats are addressed by LID from now on. */
  migrate(account: Account, isMigrated: boolean): void
  /**
   * Gives the account's number to a new account, with another LID; connect its phone next. The former one keeps its LID alone,
   * and loses its companions.
   */
  reassign(account: Account, name: string): Account
  /** Places objects with given ids on the network. Throws if they name a missing account. */
  seed(seed: Seed): void
  close(): Promise<void>
}
