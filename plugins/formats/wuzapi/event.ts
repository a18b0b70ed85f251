import { Jid } from 'wamux/messaging'

type Fields = Readonly<Record<string, unknown>>

/** Fields that an event of a message has there, and what they are without a value. */
const NO_BOT = { EditType: '', EditTargetID: '', EditSenderTimestampMS: '0001-01-01T00:00:00Z' }
const NO_META = {
  TargetID: '',
  TargetSender: '',
  TargetChat: '',
  DeprecatedLIDSession: null,
  ThreadMessageID: '',
  ThreadMessageSenderJID: '',
}

/** The `event` of a message as there: with every field of the library's struct, and numbers as numbers. */
export function messageEvent({ Info, Message, PollVote, EventResponse, Corrects, ...flags }: Fields): Fields {
  const { SenderUsername: _, RecipientUsername: __, ...info } = Info as Fields
  const content = numbersIn(Message)
  return {
    Info: { BroadcastRecipients: null, MsgBotInfo: NO_BOT, MsgMetaInfo: NO_META, ...info },
    Message: content,
    IsViewOnceV2Extension: false,
    IsLottieSticker: false,
    IsBotInvoke: false,
    ...flags,
    SourceWebMsg: null,
    UnavailableRequestID: '',
    RetryCount: 0,
    NewsletterMeta: null,
    RawMessage: content,
  }
}

/** The `event` of a receipt or of someone who types, as there: with every field about its source. */
export function sourcedEvent(event: Fields): Fields {
  return {
    AddressingMode: Jid.isLid(String(event['Sender'])) ? 'lid' : 'pn',
    RecipientAlt: '',
    BroadcastListOwner: '',
    BroadcastRecipients: null,
    ...event,
  }
}

/** Fields of 64 bits, which protobuf JSON has as text. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...['fileLength', 'mediaKeyTimestamp', 'senderTimestamp', 'recipientTimestamp', 'senderTimestampMs'],
  ...['timestampMs', 'ephemeralSettingTimestamp', 'limitSharingSettingTimestamp', 'expirationTimestamp'],
])

function numbersIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(numbersIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.endsWith('imestampMs') ? name.replace(/Ms$/, 'MS') : name,
      NUMBERS.has(name) && typeof field === 'string' ? Number(field) : numbersIn(field),
    ]),
  )
}
