import type {
  AnyMediaMessageContent,
  AnyMessageContent,
  BaileysEventMap,
  BinaryNode,
  ChatModification,
  proto,
  WAMessage,
  WAMessageKey,
  WAPresence,
  WASocket,
} from '@whiskeysockets/baileys'
import type { ErrorCode, Viewer } from 'wamux/plugin'
import type { AbProp } from './app-state/ab-props.ts'
import type { Files } from './media/media-file.ts'
import type { Egress } from './network/egress.ts'
import type { Dial } from './network/network.ts'
import type { PasskeyFlow } from './pairing/passkey-port.ts'
import type { SealedPart, UseCase } from './protocol/additions.ts'
import type { BusinessOrigin } from './protocol/business/origin.ts'
import type { MessageTimes } from './protocol/message-times.ts'
import type { Wire } from './protocol/wire.ts'
import type { ForwardedEvent } from './receive/forwarded-events.ts'
import type { Uploads } from './send/upload.ts'
import type { NewOwner } from './signal/lid-map.ts'
import type { HistoryPart } from './socket/history.ts'
import type { TimerReader } from './store/chat-timers.ts'
import type { Outboxes } from './store/outboxes.ts'

/** The content of a send: Baileys' content, or a finished message of a type that Baileys can't build. */
export type Content = AnyMessageContent | { proto: proto.IMessage }

export interface SendOptions {
  /** Message id; generated if absent. No id is sent twice. */
  id?: string
  /** Attempt it again even after a final refusal of the id: an operator wants it. */
  isAgain?: boolean
  /** SHA-256 hex of the request; a different request with the same id is refused with ID_REUSED. */
  fingerprint?: string
  /** The message to quote, if known. */
  quoted?: WAMessage
  /** Extra stanza children, for example `biz`. */
  nodes?: BinaryNode[]
  /** Extra stanza attributes. */
  attributes?: Record<string, string>
  /** Recipients of a status@broadcast post. */
  audience?: string[]
  /** The field of the request that determines the message's size, for MESSAGE_TOO_LARGE. */
  field?: string
  /** W3C Trace Context of the request; carried by all events of the message, also those from a later link. */
  traceparent?: string
  /** Called once the content is built: JSON that is stored with the message and added to the signal of its outcome. */
  annotations?(): Readonly<Record<string, unknown>> | undefined
}

export interface Sent {
  id: string
  /** JID of the chat as used on the network, phone or LID. */
  chat: string
  /** When the network accepted it, RFC 3339 UTC. */
  timestamp: string
}

/** A message as identified by a request. */
export interface MessageRef {
  id: string
  /** JID of its chat in either form; a message of another chat does not match. Absent: any chat that the viewer sees. */
  chat?: string | undefined
}

/** A message whose secret is known, under which additions to it are sealed. */
export interface AdditionTarget {
  /** The key by which other devices find it. */
  readonly key: WAMessageKey
  /** For a poll: its question and the names of its options. */
  readonly poll?: { readonly question: string; readonly options: readonly string[] } | undefined
  /** Seals an addition by this account. */
  seal(use: UseCase, plain: Uint8Array): SealedPart
}

/** A received message to be marked as read. */
export interface ReadMessage {
  /** JID of its chat as the network addressed it, phone number or LID. */
  readonly chat: string
  readonly id: string
  /** The author; only in a group and of a status post. */
  readonly participant?: string | undefined
  /** Whether it was received here; otherwise only the caller claims that the chat has it. */
  readonly isStored: boolean
}

/** A change of a shared setting. A star also names the author of another member's message in a group. */
export type Change =
  | ChatModification
  | { star: { messages: StarredMessage[]; star: boolean } }
  | { statusMute: boolean }

export interface StarredMessage {
  readonly id: string
  readonly fromMe?: boolean
  /** Only in a group: the author. */
  readonly participant?: string | null | undefined
}

/** What a privacy token is attached to: the query of a picture or an about text, a subscription to a presence, a new member. */
export type TokenUse = 'picture' | 'about' | 'presence' | 'newGroup' | 'newMember'

/** The state of a send of this session. */
export interface Outcome {
  chat: string
  /** `Pending` also if no ack came in time. */
  status: 'Pending' | 'Sent' | 'Error'
  /** RFC 3339: when the network accepted it, otherwise when the send began. */
  time: string
}

/** A send whose row is committed: it will be sent, even after a crash, or its failure reported. */
export interface Sending {
  id: string
  /** An earlier request with the id has sent it or will: `sent` is the result of that request. */
  isReplay: boolean
  /** `sent` is already settled. */
  isEnded: boolean
  /** Settles with the network's ack. */
  sent: Promise<Sent>
}

export interface ReceiptSignal {
  /** Chat JID as the network addressed it. */
  chat: string
  /** The person who read or received it. */
  sender: string
  /** The other form (phone or LID) of sender, '' if unknown. */
  senderAlt: string
  ids: string[]
  type: 'delivered' | 'read' | 'read-self' | 'played' | 'played-self'
  fromMe: boolean
  time: string
}

export interface MessageSignal {
  /** As decoded by Baileys: proto in `message`, key with its `…Alt` forms. */
  message: WAMessage
  /** `notify` live, `append` offline or from an own device. */
  upsert: 'notify' | 'append'
  /**
   * Absent for a message that was not sealed. `message` has the plain form, as if it had not been sealed, if there is one.
   */
  sealed?: SealedContent
  /** Raw stanza attributes; for an edited post also `msg_edit_t`, the time of the edit. */
  attrs: Record<string, string>
  business?: BusinessOrigin
  /** Absent for a message that changes no other one, and for posts of newsletters. */
  right?: Right
}

/**
 * By whose right a message changes another one, or a setting of the chat: of the author of the changed message, of an admin of
 * the group, or of any member; `none` if its sender may not: it must not be applied.
 */
export type Right = 'author' | 'admin' | 'member' | 'none'

/** The sealed form of a message under another message's secret, and the details that its plain form lacks. */
export interface SealedContent {
  /** The content as received. */
  envelope: proto.IMessage
  /** For a vote: the chosen options of a known poll. */
  vote?: { poll: string; question: string; options: string[] }
  /** For an answer to an event. */
  answer?: { event: string; response: 'going' | 'notGoing' | 'maybe'; guests: number }
}

export interface UndecryptableSignal {
  /** Sender, chat and time, without content. */
  message: WAMessage
  /** Raw stanza attributes. */
  attrs: Record<string, string>
  reason: string
  /** The network's type if it had no content for this device, for example `view_once`; otherwise undefined. */
  unavailable: string | undefined
  /** `hide` if the sender asks not to show a failure. */
  onFailure: string
  /** Id of the message that it edits, if known. */
  edits?: string
}

/** A chat's disappearing timer has changed. */
export interface TimerSignal {
  chat: string
  /** The other form of a person's JID, '' if unknown. */
  chatAlt: string
  /** 0 for none. */
  seconds: number
  /** When it was set, RFC 3339. */
  time: string
  /** JID of the person who set it, '' for the own account. */
  sender: string
  fromMe: boolean
}

/** From the options of the send (`annotations`); undefined without any. */
type SentAnnotations = Readonly<Record<string, unknown>> | undefined

/** A setting shared by the account's devices, as one of them (this one included) wrote it. */
export interface SettingSignal {
  /** The collection and its version after the change: each change has its own pair. */
  collection: string
  version: number
  /** Name and object of the setting: `['pin_v1', jid]`, `['label_edit', id]` … */
  index: string[]
  operation: 'set' | 'remove'
  /** Plain values; 64-bit numbers are numbers. For a removal, the value that its writer sent with it. */
  action: proto.ISyncActionValue
  /** When it was changed, RFC 3339. */
  time: string
  /** An earlier setting, read at linking or when all settings are reread; not a new change. */
  isOld: boolean
}

/** `baileys.labels.edit` and so on: the data of the Baileys event with that name. */
type ForwardedSignals = {
  [K in ForwardedEvent as `baileys.${K}`]: K extends 'messaging-history.set'
    ? HistoryPart
    : BaileysEventMap[K]
}

declare module 'wamux/plugin' {
  interface Socket {
    /** The live Baileys socket, for calls that need no workaround. It throws Boom errors. */
    readonly wa: WASocket
    /**
     * Persists a message, then encrypts and sends it and waits for the network's ack. `content` is not called if the id was
     * sent before or is being sent. Also sends to a bot (`@bot`): its answers are received as messages if the question has
     * a `messageSecret`.
     * Rejects NOT_ON_NETWORK, MESSAGE_TOO_LARGE, ID_REUSED, QUEUE_FULL, or with the earlier, final refusal of the id;
     * nothing is then sent or stored. `sent` rejects TOKEN_MISSING or ACCOUNT_RESTRICTED (463, 475), NETWORK_FORBIDDEN
     * (403), NETWORK_LIMITED (429), NETWORK_UNAVAILABLE (408, 5xx), SEND_FAILED (any other refusal), NETWORK_SILENT (no ack
     * in time, or the link was cut; outcome unknown).
     */
    send(chat: string, content: () => Promise<Content>, options?: SendOptions): Promise<Sending>
    /** Sends one IQ. Rejects NETWORK_SILENT on time-out, NETWORK_FORBIDDEN, NETWORK_LIMITED or NETWORK_FAILED (`verb`). */
    query(node: BinaryNode, verb: string, timeoutMs?: number): Promise<BinaryNode>
    /**
     * Changes a setting shared by the account's devices (pin, mute, label, contact …) and waits until the network has
     * accepted it. Rejects SETTINGS_NOT_READY (no key from the phone yet) or like `query`.
     */
    modify(change: Change, jid: string): Promise<void>
    /** Rereads all shared settings from the start; rejects like `modify`. */
    refetch(): Promise<{ name: string; version: number }[]>
    /** The other form of a user JID (phone ↔ LID), normalised; '' if unknown. */
    altJid(jid: string): Promise<string>
    /** Like `altJid`, from local storage only: for translators, which must not wait for the network. */
    knownAlt(jid: string): Promise<string>
    /** Sends a presence, or a chat state if `chat` is given, and waits until it is received; rejects like `query`. */
    sendPresence(presence: WAPresence, chat?: string): Promise<void>
    /** Asks for the presence of a person, which is reported while the account is online. Rejects once the link has ended. */
    subscribePresence(jid: string): Promise<void>
    /**
     * The valid privacy tokens that these people have given to the account, by JID as passed. A query with one gets what only
     * contacts of the person get. None if an AB prop says that WhatsApp Web attaches none there. From local storage only.
     */
    givenTokens(jids: readonly string[], use: TokenUse): Promise<ReadonlyMap<string, Uint8Array>>
    /**
     * Marks received messages as read and raises `messages.read`. Their senders see it if the account's privacy settings
     * allow that; otherwise only its own devices do. Rejects like `query`.
     */
    markRead(messages: readonly ReadMessage[]): Promise<void>
    /** Marks received voice and video notes as played, like `markRead`, and raises `messages.played`. */
    markPlayed(messages: readonly ReadMessage[]): Promise<void>
    /** The account's privacy settings, by the network's names. Queried each time, since the phone may have changed them. */
    privacy(): Promise<ReadonlyMap<string, string>>
    /** Sets the disappearing timer of chats that begin from now on, 0 for none; rejects like `query`. */
    setDefaultTimer(seconds: number): Promise<void>
    /**
     * Linking with the account's passkey: the state of the ceremony, the answer to its challenge, and the confirmation that
     * both codes are equal. Rejects FIELD_INVALID, PASSKEY_UNEXPECTED, or like `query`.
     */
    readonly passkey: Pick<PasskeyFlow, 'status' | 'submit' | 'confirm'>
    /** A server-side setting of WhatsApp by its code, with a default if the network has sent none. */
    readonly abProp: AbProp
    /** A message sent or received within the retention time; undefined if the viewer does not see it. */
    message(ref: MessageRef, viewer: Viewer): Promise<WAMessage | undefined>
    /**
     * A message of the chat to which this account can add: undefined if its secret is not known. Check before that the caller sees the
     * chat; the answer tells nothing of other chats.
     */
    additionTarget(ref: { chat: string; id: string }): Promise<AdditionTarget | undefined>
    /**
     * Uploads a file for a message that Baileys can't build; resolves with its part, `{ imageMessage: … }`. Rejects
     * UPLOAD_FAILED.
     *
     * @param use the media type to encrypt it as, if different from its own.
     */
    upload(chat: string, content: AnyMediaMessageContent, use?: 'thumbnail-link'): Promise<proto.IMessage>
    /** Uploads a picture that anybody may see, unencrypted; resolves with where the media host has it. Rejects UPLOAD_FAILED. */
    uploadOpen: Uploads['open']
    /** The state of an own send; undefined if the id is not stored, or if the viewer does not see the chat. */
    outcome(id: string, viewer: Viewer): Promise<Outcome | undefined>
    /**
     * The decrypted file of a media message; the phone reuploads it if the media host no longer has it. Rejects like
     * `files.fetch` and `reupload`.
     */
    download(message: WAMessage): Promise<Buffer>
    /**
     * Asks the account's phone to reupload a message's file; resolves with its new direct path. Rejects FILE_EXPIRED (the
     * phone no longer has it), FIELD_INVALID (`mediaKey` is not the message's), NETWORK_FAILED (the phone failed),
     * NETWORK_SILENT.
     */
    reupload(message: WAMessageKey, mediaKey: Uint8Array): Promise<string>
    /**
     * Requests `count` messages of a chat before the given one from the account's phone. Resolves with the id of the
     * request when the network has it. As soon as the phone is online, it answers with `baileys.messaging-history.set`,
     * whose `peerDataRequestSessionId` is that id. Rejects like `sent` of `send`.
     *
     * @param before.time Unix time in milliseconds.
     */
    requestHistory(before: {
      chat: string
      id: string
      fromMe: boolean
      time: number
      count: number
    }): Promise<string>
  }

  interface GatewaySignals extends ForwardedSignals {
    /** A message from the network or from an own device, decrypted and committed. */
    message: MessageSignal
    /** A message that this session sent and the network accepted. `corrects`: `message.failed` was raised for it before. */
    'message.sent': {
      message: WAMessage
      sealed?: SealedContent
      annotations?: SentAnnotations
      /** The JIDs that a status post was sent to, including the own one. */
      audience?: readonly string[] | undefined
      corrects?: boolean
    }
    /** A message that this session sent was refused (`network` is the ack's code) or given up, or its outcome is unknown. */
    'message.failed': {
      id: string
      chat: string
      code: ErrorCode
      reason: string
      network: string
      outcome: 'failed' | 'unknown'
      /** When the restriction that caused the refusal ends, ISO 8601, if known. */
      until?: string
      annotations?: SentAnnotations
    }
    receipt: ReceiptSignal
    /** Received messages that this gateway has marked as read: the network reports only those read on other devices. */
    'messages.read': { readonly read: readonly ReadMessage[] }
    'messages.played': { readonly played: readonly ReadMessage[] }
    /** Raised before the message or notification from which it was learnt. */
    'chat.timer': TimerSignal
    setting: SettingSignal
    /** All privacy settings of the account, by the network's names, after another device has changed some. */
    'privacy.settings': {
      /** Id of the notification that announced the newest change. */
      id: string
      settings: ReadonlyMap<string, string>
    }
    /** A number has another LID than known before: it has a new owner, or what was known was wrong. */
    'number.owner': NewOwner
    /** Journalled before Baileys acknowledges it. */
    'stanza.notification': BinaryNode
    /** Journalled before Baileys acknowledges it. */
    'stanza.call': BinaryNode
    'stanza.presence': BinaryNode
    'stanza.chatstate': BinaryNode
    /** A message that can't be decrypted (yet). */
    'message.undecryptable': UndecryptableSignal
  }

  interface GatewayServices {
    wire: Wire
    files: Files
    messageTimes: MessageTimes
    outboxes: Outboxes
    chatTimers: TimerReader
    /** Connects the driver to another network, before any session starts. */
    dial: Dial
    /** From a plugin that decides how sessions reach the network; the driver calls it before each link and each file. */
    egress: Egress
  }
}
