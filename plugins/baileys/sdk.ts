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
import type { ErrorCode } from 'wamux/plugin'
import type { Files } from './media/media-file.ts'
import type { Wire } from './protocol/wire.ts'
import type { ForwardedEvent } from './receive/forwarded-events.ts'
import type { Dial } from './socket/network.ts'

/** What a send carries: content as Baileys takes it, or a finished message for types Baileys can't build. */
export type Content = AnyMessageContent | { proto: proto.IMessage }

export interface SendOptions {
  /** Message id; made when absent. The same id never goes out twice. */
  id?: string
  /** SHA-256 hex of the request; another one under the same id is refused with ID_REUSED. */
  fingerprint?: string
  /** The message to quote, when it is known. */
  quoted?: WAMessage
  /** Extra stanza children, such as `biz`. */
  nodes?: BinaryNode[]
  /** Extra stanza attributes. */
  attributes?: Record<string, string>
  /** Who receives a status@broadcast post. */
  audience?: string[]
  /** The field of the request that the message's size comes from, for MESSAGE_TOO_LARGE. */
  field?: string
}

export interface Sent {
  id: string
  /** The chat that the network used, phone or LID JID. */
  chat: string
  /** When the network took it, RFC 3339 UTC. */
  timestamp: string
}

/** How far a send of this session came. */
export interface Outcome {
  chat: string
  /** `Pending` also where no answer came in time. */
  status: 'Pending' | 'Sent' | 'Error'
  /** RFC 3339: when the network took it, else when it was begun. */
  time: string
}

/** A send whose row is committed: whatever happens now, it goes out, or its failure is told. */
export interface Sending {
  id: string
  /** The id went out before; this is the answer of that time. */
  isReplay: boolean
  /** Settles with the network's answer. */
  sent: Promise<Sent>
}

export interface ReceiptSignal {
  /** Chat JID as the network addressed it. */
  chat: string
  /** Who read or received it. */
  sender: string
  /** The other form (phone or LID) of sender, '' when unknown. */
  senderAlt: string
  ids: string[]
  type: 'delivered' | 'read' | 'read-self' | 'played'
  fromMe: boolean
  time: string
}

export interface MessageSignal {
  /** As Baileys decoded it, plain values: proto in `message`, key with its `…Alt` twins. */
  message: WAMessage
  /** `notify` live, `append` offline or from an own device. */
  upsert: 'notify' | 'append'
  /** Raw stanza attributes; of an edited post also `msg_edit_t`, when that was. */
  attrs: Record<string, string>
}

export interface UndecryptableSignal {
  /** Who, where and when; it has no content. */
  message: WAMessage
  /** Raw stanza attributes. */
  attrs: Record<string, string>
  reason: string
  /** The network had no content for this device; the type it gave, such as `view_once`. Else undefined. */
  unavailable: string | undefined
  /** `hide` where the sender wants nothing to be shown of a failure. */
  onFailure: string
}

/** A setting that the account's devices share, as one of them (this one included) wrote it. */
export interface SettingSignal {
  /** The collection and its version after the change: one change has one pair. */
  collection: string
  version: number
  /** What it is about: `['pin_v1', jid]`, `['label_edit', id]` … */
  index: string[]
  operation: 'set' | 'remove'
  /** Plain values; 64-bit numbers are numbers. Of a removed one: what its writer left in it. */
  action: proto.ISyncActionValue
  /** When it was made, RFC 3339. */
  time: string
  /** Read when linking or once more: no news. */
  isOld: boolean
}

/** `baileys.labels.edit` and so on: what Baileys' event of that name carries. */
type ForwardedSignals = { [K in ForwardedEvent as `baileys.${K}`]: BaileysEventMap[K] }

declare module 'wamux/plugin' {
  interface Socket {
    /** The live Baileys socket, for calls that need no work-around. Errors are Boom. */
    readonly wa: WASocket
    /**
     * Persists a message, then encrypts and sends it and waits for the network's ack. `content` is not asked for
     * where the id went out before. To a bot (`@bot`) too: its answers come as messages, if what it was sent
     * carried a `messageSecret`.
     * Rejects NOT_ON_NETWORK (nobody there), MESSAGE_TOO_LARGE, ID_REUSED, SEND_RUNNING, QUEUE_FULL, or with what the
     * id was refused with before; nothing is sent or stored then. `sent` rejects NETWORK_FORBIDDEN (463, 403), NETWORK_LIMITED (429),
     * SEND_FAILED (any other refusal), NETWORK_SILENT (no ack in time, or the link was cut; outcome unknown).
     */
    send(chat: string, content: () => Promise<Content>, options?: SendOptions): Promise<Sending>
    /** One IQ. Rejects NETWORK_SILENT on time-out, NETWORK_FORBIDDEN, NETWORK_LIMITED or NETWORK_FAILED (`verb`). */
    query(node: BinaryNode, verb: string, timeoutMs?: number): Promise<BinaryNode>
    /**
     * Changes a setting that the account's devices share (pin, mute, label, contact …) and waits until the
     * network took it. Rejects SETTINGS_NOT_READY (no key from the phone yet) or as `query` does.
     */
    modify(change: ChatModification, jid: string): Promise<void>
    /** Reads all shared settings again from their start; rejects as `modify` does. */
    refetch(): Promise<{ name: string; version: number }[]>
    /** The other form of a user JID (phone ↔ LID), normalised; '' when unknown. */
    altJid(jid: string): Promise<string>
    /** As `altJid`, from what is stored here alone: for translators, which must not wait for the network. */
    knownAlt(jid: string): Promise<string>
    /** Shows a presence, or what is being done in a chat, and waits until the network heard it; rejects as `query`. */
    tell(presence: WAPresence, chat?: string): Promise<void>
    /** A message that was sent or received lately, for quoting. */
    stored(chat: string, id: string): Promise<WAMessage | undefined>
    /**
     * Uploads a file for a message that is put together by hand; answers its part, `{ imageMessage: … }`.
     * Rejects UPLOAD_FAILED.
     *
     * @param use what it is encrypted as, where that is not what it is.
     */
    upload(chat: string, content: AnyMediaMessageContent, use?: 'thumbnail-link'): Promise<proto.IMessage>
    /** How far an own send came; undefined for an id that this session did not use lately. */
    outcome(id: string): Promise<Outcome | undefined>
    /**
     * Decrypted bytes of a received media message, which the phone is asked to upload again where it is gone from
     * the media host. Rejects as `files.fetch` and `reupload` do.
     */
    download(message: WAMessage): Promise<Buffer>
    /**
     * Asks the account's phone to upload the file of a message again; answers its new direct path. Rejects
     * FILE_EXPIRED (the phone has it no more), FIELD_INVALID (`mediaKey` is not that of the message),
     * NETWORK_FAILED (the phone can't), NETWORK_SILENT.
     */
    reupload(message: WAMessageKey, mediaKey: Uint8Array): Promise<string>
  }

  interface GatewaySignals extends ForwardedSignals {
    /** A message from the network or from an own device, decrypted and committed. */
    message: MessageSignal
    /** What this session itself sent, once the network took it. */
    'message.sent': { message: WAMessage }
    /** What this session sent was refused (`network` is the code of the ack), or nobody knows. */
    'message.failed': { id: string; chat: string; code: ErrorCode; reason: string; network: string }
    receipt: ReceiptSignal
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
    /** Points the driver at another network, before any session starts. */
    dial: Dial
  }
}
