import type { AnyMessageContent, BinaryNode, proto, WAMessage, WASocket } from '@whiskeysockets/baileys'
import type { Wire } from './wire.ts'

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
}

export interface Sent {
  id: string
  /** The chat that the network used, phone or LID JID. */
  chat: string
  /** When the network took it, RFC 3339 UTC. */
  timestamp: string
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
  /** Raw stanza attributes. */
  attrs: Record<string, string>
}

declare module 'wamux/plugin' {
  interface Socket {
    /** The live Baileys socket, for calls that need no work-around. Errors are Boom. */
    readonly wa: WASocket
    /**
     * Persists, encrypts, sends, and waits for the network's ack.
     * Rejects NOT_ON_NETWORK (nobody there; nothing sent), NETWORK_FORBIDDEN (463, 403), NETWORK_LIMITED (429),
     * SEND_FAILED (any other refusal), NETWORK_SILENT (no ack in time; outcome unknown), ID_REUSED, SEND_RUNNING.
     */
    send(chat: string, content: Content, options?: SendOptions): Promise<Sent>
    /** One IQ. Rejects NETWORK_SILENT on time-out, NETWORK_FORBIDDEN, NETWORK_LIMITED or NETWORK_FAILED (`verb`). */
    query(node: BinaryNode, verb: string, timeoutMs?: number): Promise<BinaryNode>
    /** The other form of a user JID (phone ↔ LID), normalised; '' when unknown. */
    altJid(jid: string): Promise<string>
    /** A message that was sent or received lately, for quoting. */
    stored(chat: string, id: string): Promise<WAMessage | undefined>
    /** Decrypted bytes of a received media message. Rejects NETWORK_FAILED. */
    download(message: WAMessage): Promise<Buffer>
  }

  interface GatewaySignals {
    /** A message from the network or from an own device, decrypted and committed. */
    message: MessageSignal
    /** What this session itself sent, once the network took it. */
    'message.sent': { message: WAMessage }
    receipt: ReceiptSignal
    /** A message that can't be decrypted (yet). */
    'message.undecryptable': { chat: string; sender: string; id: string; reason: string; time: string }
  }

  interface GatewayServices {
    wire: Wire
    /** Points the driver at another network, before any session starts. */
    dial: Dial
  }
}

/** Where the driver connects. Default is WhatsApp itself. */
export interface Network {
  /** Stored on each session that links there; `whatsapp` is reserved. */
  name: string
  /** WebSocket URL. */
  url: string
  /** `host:port` of its media host; every download and upload goes there. */
  mediaHost: string
  /** PEM of the certificate authority of its media hosts. */
  ca: string
  /** Public key (32 bytes) that signs its Noise certificates. */
  rootKey: Buffer
}

export interface Dial {
  use(network: Network): void
}
