import type { GatewayServices } from 'wamux/plugin'
import { fieldOf, fieldsOf } from './protobuf-fields.ts'

/** Numbers of fields that WAProto lacks: `pollAddOptionMessage` of Message, and the fields of its type. */
const POLL_ADD_OPTION = 121
const POLL_KEY = 1
const OPTION = 2

type Wire = Pick<GatewayServices['wire'], 'proto'>

/** The message with which somebody adds an option to a poll. */
export function encodeAddedOption({ proto }: Wire, key: object, name: string): Buffer {
  const { Option } = proto.Message.PollCreationMessage
  const parts = [
    fieldOf(POLL_KEY, proto.MessageKey.encode(proto.MessageKey.fromObject(key)).finish()),
    fieldOf(OPTION, Option.encode(Option.fromObject({ optionName: name })).finish()),
  ]
  return fieldOf(POLL_ADD_OPTION, Buffer.concat(parts))
}

/** The name of the added option; '' without one. */
export function decodeAddedOption({ proto }: Wire, plain: Uint8Array): string {
  const added = fieldsOf(Buffer.from(plain)).find(({ number }) => number === POLL_ADD_OPTION)
  const option = added && fieldsOf(added.content).find(({ number }) => number === OPTION)
  return option ? (proto.Message.PollCreationMessage.Option.decode(option.content).optionName ?? '') : ''
}
