/** The interface between the conformance run and the processes of the foreign clients. */

/** Where the network is: all that a client is given. */
export interface NetworkAddress {
  /** `ws://127.0.0.1:<port>/ws/chat` */
  readonly url: string
  /** Public key (32 bytes) that signs the Noise certificate chain. */
  readonly rootKey: Uint8Array
}

export type ChatSetting = 'archive' | 'mute' | 'pin'

/** One companion, run by a foreign library. A method that its library does not offer throws `NotOffered`. */
export interface Client {
  /** Links: reports `qr`, or for a phone number `code`, and then `open`. */
  link(phone?: string): Promise<void>
  /** Logs in with the stored keys; reports `open`. */
  connect(): Promise<void>
  disconnect(): Promise<void>
  /** The id of the sent message. */
  text(chat: string, text: string): Promise<string>
  image(chat: string, image: Uint8Array): Promise<string>
  /** The decrypted file of a received message. */
  download(id: string): Promise<Uint8Array>
  /** The JID of the new group. */
  createGroup(subject: string, members: string[]): Promise<string>
  leaveGroup(group: string): Promise<void>
  /** Sends the read receipt of a received message. */
  read(id: string): Promise<void>
  type(chat: string): Promise<void>
  goOnline(): Promise<void>
  /** Subscribes to a person's presence. */
  watch(person: string): Promise<void>
  /** Rejects a call that it has reported. */
  rejectCall(id: string): Promise<void>
  setChat(chat: string, setting: ChatSetting): Promise<void>
  /** The JID of the new newsletter. */
  createNewsletter(name: string): Promise<string>
  followNewsletter(newsletter: string): Promise<void>
}

export type ClientEvent =
  | { readonly is: 'qr'; readonly text: string }
  | { readonly is: 'code'; readonly code: string }
  | { readonly is: 'open' }
  | { readonly is: 'closed'; readonly reason: string }
  | {
      readonly is: 'message'
      readonly id: string
      readonly chat: string
      readonly text: string
      readonly fromMe: boolean
    }
  /** `delivered`, `read` or `played`. */
  | { readonly is: 'receipt'; readonly id: string; readonly type: string }
  /** `available`, `unavailable` or `composing`. */
  | { readonly is: 'presence'; readonly from: string; readonly state: string }
  | { readonly is: 'call'; readonly id: string; readonly state: string }
  | { readonly is: 'setting'; readonly chat: string; readonly setting: ChatSetting; readonly on: boolean }

export type Report = (event: ClientEvent) => void
export type CreateClient = (network: NetworkAddress, report: Report) => Client

/** From the run to a process: the first request for an instance creates it. */
export interface Request {
  readonly id: number
  readonly instance: string
  readonly method: keyof Client
  readonly args: readonly unknown[]
}

/** From a process to the run. */
export type Response =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string; readonly isNotOffered: boolean }
  | { readonly instance: string; readonly event: ClientEvent }
