/** The answers of the sandbox's routes, as read by this screen. */
export interface PhoneView {
  Phone: string
  JID: string
  LID: string
  Name: string
  Username: string
  On: boolean
  Companions: { JID: string; Online: boolean }[]
  Blocked: string[]
  Groups: string[]
  Calls: CallView[]
  PasskeyCode: string
}

export interface CallView {
  ID: string
  Chat: string
  FromMe: boolean
  Video: boolean
  State: string
}

export interface ListedMessage {
  Seq: number
  ID: string
  Chat: string
  From: string
  FromMe: boolean
  Time: number
  Kind: string
  Text: string
  Media?: { Mimetype: string; Size: number }
  Quoted?: { ID: string; Text: string }
  Reactions: { From: string; Text: string }[]
  Edited: boolean
  Revoked: boolean
  Tick: string
}

export interface StanzaView {
  Tag: string
  Attrs: Record<string, string>
  Nodes?: StanzaView[]
  Text?: string
  Base64?: string
  Bytes?: number
  Count?: number
}

/** One line of the list of stanzas. */
export interface StanzaLine {
  key: string
  time: number
  phone: string
  device: number
  direction: 'up' | 'down'
  stanza: StanzaView
}

export interface FaultView {
  Fault: string
  Phone?: string
}

export interface FaultKind {
  Fault: string
  Phone: 'required' | 'optional' | 'none'
  Stays: boolean
}

export interface PhoneSession {
  Id: string
  Name: string
  JID: string
  State: string
}
