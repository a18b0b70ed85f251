import type { proto } from '@whiskeysockets/baileys'
import { addField, type ConversionOptions, type MessageClass, writeField } from './added-field.ts'

type Poll = proto.Message.IPollCreationMessage
/** A message with the field that Baileys' protobuf lacks. */
export type WithPollV6 = proto.IMessage & { pollCreationMessageV6?: Poll | null }

const FIELD = 119

/**
 * Adds `pollCreationMessageV6` to Message: WAProto of rc14 has V2 to V5, so polls of the newest apps are lost in decoding.
 * Also covers messages nested in others, for example in the history.
 */
export function patchPollV6({ Message }: { Message: typeof proto.Message }): void {
  const { PollCreationMessage } = Message
  addField(Message as unknown as MessageClass, {
    number: FIELD,
    name: 'pollCreationMessageV6',
    decode: (bytes) => PollCreationMessage.decode(bytes),
    encode: (value) => PollCreationMessage.encode(value as Poll).finish(),
    fromObject: (value) => PollCreationMessage.fromObject(value as Record<string, unknown>),
    toObject: (value, options?: ConversionOptions) =>
      PollCreationMessage.toObject(
        PollCreationMessage.fromObject(value as Record<string, unknown>),
        options as Parameters<typeof PollCreationMessage.toObject>[1],
      ),
  })
}

export function verifyPollV6({ Message }: { Message: typeof proto.Message }): boolean {
  const poll = writeField(2, Buffer.from('Q'))
  const message = Message.decode(writeField(FIELD, poll)) as WithPollV6
  return message.pollCreationMessageV6?.name === 'Q'
}
