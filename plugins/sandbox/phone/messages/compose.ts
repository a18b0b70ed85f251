import { fileTypeFromBuffer } from 'file-type'
import { type GatewayServices, gatewayError } from 'wamux/plugin'
import type { Uplink } from '../../types.ts'
import { type MediaKind, sealMedia } from './media.ts'
import { fieldOf } from './protobuf-fields.ts'

type Wire = GatewayServices['wire']
export type Proto = ReturnType<Wire['proto']['Message']['create']>

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** Input for a message: text or JSON; media as `{ image: 'data:…', caption }`. */
export interface Draft {
  /** Message id; a random one when absent. */
  Id?: string | undefined
  Text?: string | undefined
  Message?: Record<string, unknown> | undefined
  /** The encoded message as base64, sent as it is: any bytes. */
  Plain?: string | undefined
  /** The `edit` attribute of its stanza, whatever its content. */
  Edit?: string | undefined
}

/** The bytes of messages that were given encoded; for the phone itself they have no content. */
const encoded = new WeakMap<object, Buffer>()

/** Builds a message from a draft; media are encrypted and uploaded. */
export async function compose(wire: Wire, uplink: Uplink, draft: Draft): Promise<Proto> {
  const { Message } = wire.proto
  if (draft.Plain !== undefined) {
    const message = Message.create()
    encoded.set(message, Buffer.from(draft.Plain, 'base64'))
    return message
  }
  if (draft.Text !== undefined) return Message.fromObject({ conversation: draft.Text })
  const given = draft.Message
  if (!given) throw gatewayError('FIELD_MISSING', ['Text'])
  const kind = MEDIA.find((name) => typeof given[name] === 'string')
  if (!kind) return toMessage(wire, given)
  const { [kind]: dataUrl, ...fields } = given
  return toMessage(wire, { [`${kind}Message`]: await upload(wire, uplink, kind, String(dataUrl), fields) })
}

/** Numbers of the fields of the copy for an own device: `deviceSentMessage` of Message, and those of its type. */
const [DEVICE_SENT, DESTINATION, CONTENT] = [31, 1, 2]

/** Encodes a message, or the copy of one for an own device. */
export function encodeMessage({ proto }: Wire, message: Proto | Record<string, unknown>): Uint8Array {
  const { destinationJid, message: copied } = (message as Proto).deviceSentMessage ?? {}
  const content = copied && encoded.get(copied)
  if (content) {
    const parts = [fieldOf(DESTINATION, Buffer.from(destinationJid ?? '')), fieldOf(CONTENT, content)]
    return fieldOf(DEVICE_SENT, Buffer.concat(parts))
  }
  return encoded.get(message) ?? proto.Message.encode(proto.Message.fromObject(message)).finish()
}

/** Throws FIELD_INVALID for a field that the protobuf lacks, which would be lost without a word. */
function toMessage({ proto }: Wire, given: Record<string, unknown>): Proto {
  const message = proto.Message.fromObject(given)
  const lost = lostField(given, message)
  if (lost) throw gatewayError('FIELD_INVALID', ['Message', `has no field "${lost}"`])
  return message
}

/** The path of the first field that is not in the message made of it. */
function lostField(given: unknown, made: unknown, path = ''): string | undefined {
  const isBytes = made instanceof Uint8Array
  if (typeof given !== 'object' || given === null || typeof made !== 'object' || made === null || isBytes)
    return undefined
  // A number of 64 bits.
  if ('low' in made && 'high' in made) return undefined
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    const at = path ? `${path}.${name}` : name
    if (!Object.hasOwn(made, name)) return at
    const lost = lostField(value, (made as Record<string, unknown>)[name], at)
    if (lost) return lost
  }
  return undefined
}

async function upload(
  wire: Wire,
  uplink: Uplink,
  kind: MediaKind,
  dataUrl: string,
  fields: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const plain = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64')
  if (plain.length === 0) throw gatewayError('BASE64_INVALID', ['Message'])
  const type = await fileTypeFromBuffer(plain)
  const sealed = sealMedia(wire, kind, plain)
  const { url, directPath } = await uplink.upload(sealed.folder, sealed.data)
  const mimetype = type?.mime ?? 'application/octet-stream'
  return {
    mimetype,
    ...fields,
    ...sealed.fields,
    url,
    directPath,
    mediaKeyTimestamp: Math.floor(Date.now() / 1000),
  }
}
