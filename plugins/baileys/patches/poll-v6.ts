import type { proto } from '@whiskeysockets/baileys'

type MessageClass = typeof proto.Message
type Reader = { readonly buf: Uint8Array; readonly pos: number }
type Writer = { uint32(value: number): Writer; bytes(value: Uint8Array): Writer }
type Poll = proto.Message.IPollCreationMessage
/** A message with the field that Baileys' protobuf lacks. */
export type WithPollV6 = proto.IMessage & { pollCreationMessageV6?: Poll | null }

const FIELD = 119
const LENGTH_DELIMITED = 2
const TAG = (FIELD << 3) | LENGTH_DELIMITED
/** The tag as bytes. */
const TAG_BYTES = Buffer.from([(TAG & 0x7f) | 0x80, TAG >> 7])

/**
 * Adds `pollCreationMessageV6` to Message: WAProto of rc14 has V2 to V5, so polls of the newest apps are lost when they are
 * decoded. In messages inside of others, such as those of the history, too.
 */
export function patchPollV6(proto: { Message: MessageClass }): void {
  const { Message } = proto
  const { PollCreationMessage } = Message
  const { decode, encode, fromObject, toObject } = Message
  const patched = {
    decode(source: Reader | Uint8Array, length?: number): proto.Message {
      const bytes = source instanceof Uint8Array ? source : source.buf
      const start = source instanceof Uint8Array ? 0 : source.pos
      const message = decode.call(Message, source as Uint8Array, length)
      const end = source instanceof Uint8Array ? bytes.length : source.pos
      const poll = find(bytes.subarray(start, end))
      if (poll) Object.assign(message, { pollCreationMessageV6: PollCreationMessage.decode(poll) })
      return message
    },
    encode(message: WithPollV6, writer?: Parameters<MessageClass['encode']>[1]) {
      const written = encode.call(Message, message, writer)
      const { pollCreationMessageV6: poll } = message
      if (poll) (written as unknown as Writer).uint32(TAG).bytes(PollCreationMessage.encode(poll).finish())
      return written
    },
    fromObject(object: { [name: string]: unknown }): proto.Message {
      const message = fromObject.call(Message, object)
      const { pollCreationMessageV6: poll } = object
      if (poll && !(object instanceof Message))
        Object.assign(message, { pollCreationMessageV6: PollCreationMessage.fromObject(poll) })
      return message
    },
    toObject(message: WithPollV6, options?: Parameters<MessageClass['toObject']>[1]) {
      const object = toObject.call(Message, message as proto.Message, options)
      const { pollCreationMessageV6: poll } = message
      if (poll)
        object['pollCreationMessageV6'] = PollCreationMessage.toObject(
          PollCreationMessage.fromObject(poll),
          options,
        )
      return object
    },
  }
  Object.assign(Message, patched)
}

export function verifyPollV6({ Message }: { Message: MessageClass }): boolean {
  const name = Buffer.from('Q')
  const bytes = Buffer.concat([TAG_BYTES, Buffer.from([name.length + 2, 0x12, name.length]), name])
  const message = Message.decode(bytes) as WithPollV6
  return message.pollCreationMessageV6?.name === 'Q'
}

/** The bytes of the field; the last one counts. */
function find(bytes: Uint8Array): Uint8Array | undefined {
  // Few messages have these bytes at all.
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(TAG_BYTES) < 0) return undefined
  let found: Uint8Array | undefined
  let at = 0
  while (at < bytes.length) {
    const tag = varint(bytes, at)
    if (!tag) return found
    const value = spanOf(bytes, tag.end, tag.value & 7)
    if (!value) return found
    if (tag.value === TAG) found = bytes.subarray(value.start, value.end)
    at = value.end
  }
  return found
}

/** Where the value of a field begins and ends; undefined for what is no protobuf. */
function spanOf(bytes: Uint8Array, at: number, type: number): { start: number; end: number } | undefined {
  if (type === 1) return { start: at, end: at + 8 }
  if (type === 5) return { start: at, end: at + 4 }
  const number = varint(bytes, at)
  if (!number) return undefined
  if (type === 0) return { start: at, end: number.end }
  return type === LENGTH_DELIMITED ? { start: number.end, end: number.end + number.value } : undefined
}

function varint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0
  for (let i = 0; i < 10; i += 1) {
    const byte = bytes[at + i]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { value, end: at + i + 1 }
  }
  return undefined
}
