import { fileTypeFromBuffer } from 'file-type'
import { type GatewayServices, gatewayError } from 'wamux/plugin'
import type { Uplink } from '../../types.ts'
import { type Kind, sealMedia } from './media.ts'

type Wire = GatewayServices['wire']
export type Proto = ReturnType<Wire['proto']['Message']['create']>

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** Input for a message: text or JSON; media as `{ image: 'data:…', caption }`. */
export interface Draft {
  /** Message id; a random one when absent. */
  Id?: string | undefined
  Text?: string | undefined
  Message?: Record<string, unknown> | undefined
}

/** Builds a message from a draft; media are encrypted and uploaded. */
export async function compose(wire: Wire, uplink: Uplink, draft: Draft): Promise<Proto> {
  const { Message } = wire.proto
  if (draft.Text !== undefined) return Message.fromObject({ conversation: draft.Text })
  const given = draft.Message
  if (!given) throw gatewayError('FIELD_MISSING', ['Text'])
  const kind = MEDIA.find((name) => typeof given[name] === 'string')
  if (!kind) return Message.fromObject(given)
  const { [kind]: dataUrl, ...fields } = given
  return Message.fromObject({ [`${kind}Message`]: await upload(wire, uplink, kind, String(dataUrl), fields) })
}

async function upload(
  wire: Wire,
  uplink: Uplink,
  kind: Kind,
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
