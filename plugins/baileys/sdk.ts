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
import type { MessageTimes } from './protocol/message-times.ts'
import type { Wire } from './protocol/wire.ts'
import type { ForwardedEvent } from './receive/forwarded-events.ts'
import type { TimerReader } from './store/chat-timers.ts'
import type { Outboxes } from './store/outboxes.ts'
import type { MessageSecrets } from './store/secrets.ts'

/** The content of a send: as for Baileys, or a finished message of a type that Baileys can't build. */
export type Content = AnyMessageContent | { proto: proto.IMessage }

export interface SendOptions {
  /** Message id; generated if absent. No id is sent twice. */
  id?: string
  /** Attempt it also if the id was refused for good before: an operator asks for it. */
  isAgain?: boolean
  /** SHA-256 hex of the request; a different request with the same id is refused with ID_REUSED. */
  fingerprint?: string
  /** The message to quote, if it is known. */
  quoted?: WAMessage
  /** Extra stanza children, such as `biz`. */
  nodes?: BinaryNode[]
  /** Extra stanza attributes. */
  attributes?: Record<string, string>
  /** Who receives a status@broadcast post. */
  audience?: string[]
  /** The field of the request that the message's size comes from, for MESSAGE_TOO_LARGE. */
  field?: string
  /** W3C Trace Context of the request; the events of the message have it, those of a later link too. */
  traceparent?: string
  /** Called once the content is made: JSON that is stored with the message, and that the signal of its outcome has. */
  annotations?(): Readonly<Record<string, unknown>> | undefined
}

export interface Sent {
  id: string
  /** The chat that the network used, phone or LID JID. */
  chat: string
  /** When the network accepted it, RFC 3339 UTC. */
  timestamp: string
}

/** A message as a request names it. */
export interface MessageRef {
  id: string
  /** JID of its chat, in either form: the message is of no other. Absent: of any chat that the viewer sees. */
  chat?: string | undefined
}

/** A received message, to be marked as read. */
export interface ReadMessage {
  /** JID of its chat as the network addressed it, phone number or LID. */
  readonly chat: string
  readonly id: string
  /** The author; only in a group. */
  readonly participant?: string | undefined
  /** It was received here; otherwise the caller alone says that the chat has it. */
  readonly isStored: boolean
}

/** The state of a send of this session. */
export interface Outcome {
  chat: string
  /** `Pending` also if no ack came in time. */
  status: 'Pending' | 'Sent' | 'Error'
  /** RFC 3339: when the network accepted it, else when the send began. */
  time: string
}

/** A send whose row is committed: it will be sent, also after a crash, or its failure reported. */
export interface Sending {
  id: string
  /** An earlier request with the id has sent it, or is about to: `sent` is the result of that one. */
  isReplay: boolean
  /** `sent` is known already. */
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
  type: 'delivered' | 'read' | 'read-self' | 'played'
  fromMe: boolean
  time: string
}

export interface MessageSignal {
  /** As Baileys decoded it: proto in `message`, key with its `…Alt` forms. */
  message: WAMessage
  /** `notify` live, `append` offline or from an own device. */
  upsert: 'notify' | 'append'
  /** Absent for one that was not sealed: `message` has the plain form, as if it had not been, where there is one. */
  sealed?: SealedContent
  /** Raw stanza attributes; for an edited post also `msg_edit_t`, the time of the edit. */
  attrs: Record<string, string>
}

/** What a message was sealed in under the secret of another one, and what its plain form does not say. */
export interface SealedContent {
  /** The content as it was received. */
  envelope: proto.IMessage
  /** Of a vote: the chosen options of a known poll. */
  vote?: { poll: string; question: string; options: string[] }
  /** Of an answer to an event. */
  answer?: { event: string; response: 'going' | 'notGoing' | 'maybe'; guests: number }
}

export interface UndecryptableSignal {
  /** Sender, chat and time; it has no content. */
  message: WAMessage
  /** Raw stanza attributes. */
  attrs: Record<string, string>
  reason: string
  /** The type that the network gave if it had no content for this device, such as `view_once`; else undefined. */
  unavailable: string | undefined
  /** `hide` if the sender asks not to show a failure. */
  onFailure: string
  /** Id of the message that it edits, where that is known. */
  edits?: string
}

/** A chat has another disappearing timer. */
export interface TimerSignal {
  chat: string
  /** The other form of a person's JID, '' if unknown. */
  chatAlt: string
  /** 0 for none. */
  seconds: number
  /** When it was set, RFC 3339. */
  time: string
  /** JID of who has set it, '' for the own account. */
  sender: string
  fromMe: boolean
}

/** Of the send (`annotations` of its options); undefined for none. */
type SentAnnotations = Readonly<Record<string, unknown>> | undefined

/** A setting that the account's devices share, as one of them (this one included) wrote it. */
export interface SettingSignal {
  /** The collection and its version after the change: one change has one pair. */
  collection: string
  version: number
  /** Its name and object: `['pin_v1', jid]`, `['label_edit', id]` … */
  index: string[]
  operation: 'set' | 'remove'
  /** Plain values; 64-bit numbers are numbers. For a removal, the value that its writer sent with it. */
  action: proto.ISyncActionValue
  /** When it was changed, RFC 3339. */
  time: string
  /** An earlier setting, read at linking or when all settings are read again; not a new change. */
  isOld: boolean
}

/** `baileys.labels.edit` and so on: the data of Baileys' event of that name. */
type ForwardedSignals = { [K in ForwardedEvent as `baileys.${K}`]: BaileysEventMap[K] }

declare module 'wamux/plugin' {
  interface Socket {
    /** The live Baileys socket, for calls that need no workaround. Errors are Boom. */
    readonly wa: WASocket
    /**
     * Persists a message, then encrypts and sends it and waits for the network's ack. `content` is not called if the id
     * was sent before, or is under way. Also to a bot (`@bot`): its answers are received as messages if the question has a
     * `messageSecret`.
     * Rejects NOT_ON_NETWORK, MESSAGE_TOO_LARGE, ID_REUSED, QUEUE_FULL, or with the earlier refusal of the id, where that
     * was final; nothing is sent or stored then. `sent` rejects NETWORK_FORBIDDEN (463, 403), NETWORK_LIMITED (429),
     * NETWORK_UNAVAILABLE (408, 5xx), SEND_FAILED (any other refusal), NETWORK_SILENT (no ack in time, or the link was cut; outcome unknown).
     */
    send(chat: string, content: () => Promise<Content>, options?: SendOptions): Promise<Sending>
    /** One IQ. Rejects NETWORK_SILENT on time-out, NETWORK_FORBIDDEN, NETWORK_LIMITED or NETWORK_FAILED (`verb`). */
    query(node: BinaryNode, verb: string, timeoutMs?: number): Promise<BinaryNode>
    /**
     * Changes a setting that the account's devices share (pin, mute, label, contact …) and waits until the network has
     * accepted it. Rejects SETTINGS_NOT_READY (no key from the phone yet) or as `query` does.
     */
    modify(change: ChatModification, jid: string): Promise<void>
    /** Reads all shared settings again from their start; rejects as `modify` does. */
    refetch(): Promise<{ name: string; version: number }[]>
    /** The other form of a user JID (phone ↔ LID), normalised; '' if unknown. */
    altJid(jid: string): Promise<string>
    /** As `altJid`, from local storage only: for translators, which must not wait for the network. */
    knownAlt(jid: string): Promise<string>
    /** Sends a presence, or a chat state if `chat` is given, and waits until it is received; rejects as `query`. */
    sendPresence(presence: WAPresence, chat?: string): Promise<void>
    /**
     * Marks received messages as read and raises `messages.read`. Their senders see it, if the account's privacy settings
     * allow that; otherwise its own devices only. Rejects as `query` does.
     */
    markRead(messages: readonly ReadMessage[]): Promise<void>
    /** The account's privacy settings, by the network's names. Queried each time: the phone may have changed them. */
    privacy(): Promise<ReadonlyMap<string, string>>
    /**
     * Linking with the passkey of the account: the state of the ceremony, the answer to its challenge, and the
     * confirmation that both codes are equal. Rejects FIELD_INVALID, PASSKEY_UNEXPECTED, or as `query` does.
     */
    readonly passkey: Pick<PasskeyFlow, 'status' | 'submit' | 'confirm'>
    /** A server-side setting of WhatsApp by its code, with the default where the network has sent none. */
    readonly abProp: AbProp
    /** A message that was sent or received within the retention time; undefined for one that the viewer does not see. */
    message(ref: MessageRef, viewer: Viewer): Promise<WAMessage | undefined>
    /**
     * Uploads a file for a message that Baileys can't build; resolves with its part, `{ imageMessage: … }`. Rejects
     * UPLOAD_FAILED.
     *
     * @param use the media type to encrypt it as, if it is not its own.
     */
    upload(chat: string, content: AnyMediaMessageContent, use?: 'thumbnail-link'): Promise<proto.IMessage>
    /** The state of an own send; undefined for an id that is not stored, or of a chat that the viewer does not see. */
    outcome(id: string, viewer: Viewer): Promise<Outcome | undefined>
    /**
     * The decrypted file of a media message; the phone is asked to upload it again if the media host no longer has it.
     * Rejects as `files.fetch` and `reupload` do.
     */
    download(message: WAMessage): Promise<Buffer>
    /**
     * Asks the account's phone to upload the file of a message again; resolves with its new direct path. Rejects
     * FILE_EXPIRED (the phone no longer has it), FIELD_INVALID (`mediaKey` is not that of the message), NETWORK_FAILED
     * (the phone failed), NETWORK_SILENT.
     */
    reupload(message: WAMessageKey, mediaKey: Uint8Array): Promise<string>
    /**
     * Requests `count` messages of a chat before the given one from the account's phone. Resolves with the id of the
     * request when the network has it; the phone answers with `baileys.messaging-history.set`, whose
     * `peerDataRequestSessionId` is that id, as soon as it is online. Rejects as `sent` of `send` does.
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
    /** A message that this session sent and the network accepted. */
    /** `corrects`: `message.failed` was raised for it before. */
    'message.sent': {
      message: WAMessage
      sealed?: SealedContent
      annotations?: SentAnnotations
      corrects?: boolean
    }
    /** A message that this session sent was refused (`network` is the code of the ack) or given up, or its outcome is unknown. */
    'message.failed': {
      id: string
      chat: string
      code: ErrorCode
      reason: string
      network: string
      outcome: 'failed' | 'unknown'
      annotations?: SentAnnotations
    }
    receipt: ReceiptSignal
    /** Received messages that this gateway has marked as read: the network reports only what other devices read. */
    'messages.read': { readonly read: readonly ReadMessage[] }
    /** Raised before the message or notification that it was learnt from. */
    'chat.timer': TimerSignal
    setting: SettingSignal
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
    messageSecrets: MessageSecrets
    chatTimers: TimerReader
    /** Connects the driver to another network, before any session starts. */
    dial: Dial
    /** Of a plugin that decides how sessions reach the network; the driver asks it before each link and each file. */
    egress: Egress
  }
}
