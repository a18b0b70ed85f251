import type { AnyMediaMessageContent, proto } from '@whiskeysockets/baileys'
import type { GatewayServices, LiveSession } from 'wamux/plugin'

export type SendMedia = ReturnType<GatewayServices['media']['of']>

/** One file of a request: its field and the field's value. */
interface Given {
  field: string
  file: string
  caption?: string | undefined
}

/** Converts files to message content, one function for each kind; shared by `/send/image` and headers with a picture. */
export async function imageOf(
  media: SendMedia,
  { field, file, caption }: Given,
): Promise<AnyMediaMessageContent> {
  const { bytes, mime, width, height, thumbnail } = await media.image(field, file)
  const content = { image: bytes, mimetype: mime, width, height, jpegThumbnail: thumbnail.toString('base64') }
  return withCaption(content, caption)
}

export async function videoOf(
  media: SendMedia,
  { field, file, caption }: Given,
  own: { thumbnail?: Buffer | undefined; seconds?: number | undefined } = {},
): Promise<AnyMediaMessageContent> {
  const { bytes, mime, seconds, width, height, thumbnail } = await media.video(field, file)
  const shown = own.thumbnail ?? thumbnail
  const content = {
    video: bytes,
    mimetype: mime,
    seconds: Math.round(own.seconds || seconds || 0),
    ...(width && height ? { width, height } : {}),
    // An empty thumbnail keeps Baileys from starting ffmpeg to create one.
    jpegThumbnail: shown?.toString('base64') ?? '',
  }
  return withCaption(content, caption)
}

export async function audioOf(
  media: SendMedia,
  { field, file }: Given,
  as: 'voice' | 'file' | 'best',
  duration: number | undefined,
): Promise<AnyMediaMessageContent> {
  const { bytes, mime, isVoice, seconds, waveform } = await media.audio(field, file, as)
  return {
    audio: bytes,
    ptt: isVoice,
    mimetype: mime,
    seconds: Math.round(duration || seconds || 0),
    ...(waveform ? { waveform } : {}),
  }
}

export async function documentOf(
  media: SendMedia,
  { field, file, caption }: Given,
  { fileName, mimetype }: { fileName: string; mimetype?: string | undefined },
): Promise<AnyMediaMessageContent> {
  const { bytes, mime, pages, thumbnail } = await media.document(field, file)
  const shown = pages && thumbnail ? { pageCount: pages, jpegThumbnail: thumbnail.toString('base64') } : {}
  return withCaption({ document: bytes, fileName, mimetype: mimetype || mime, ...shown }, caption)
}

export async function stickerOf(
  media: SendMedia,
  { field, file }: Given,
  { png, pack }: { png?: Buffer | undefined; pack?: Parameters<SendMedia['sticker']>[2] } = {},
): Promise<AnyMediaMessageContent> {
  const { bytes, mime, isAnimated } = await media.sticker(field, file, pack)
  const content = { sticker: bytes, isAnimated, mimetype: mime, ...(png ? { pngThumbnail: png } : {}) }
  return content as AnyMediaMessageContent
}

/** A video that apps play in a loop, without sound. */
export function loopOf(content: AnyMediaMessageContent): AnyMediaMessageContent {
  return { ...content, gifPlayback: true } as AnyMediaMessageContent
}

/** A video note. Baileys drops its length and preview (Utils/messages.js), so its part is built from that of the video. */
export async function videoNoteOf(
  { socket }: LiveSession,
  chat: string,
  content: AnyMediaMessageContent,
): Promise<{ proto: proto.IMessage }> {
  const { videoMessage } = await socket.upload(chat, content)
  return { proto: { ptvMessage: videoMessage ?? null } }
}

/** A file that may be opened once. */
export function once(content: AnyMediaMessageContent, viewOnce = false): AnyMediaMessageContent {
  return (viewOnce ? { ...content, viewOnce } : content) as AnyMediaMessageContent
}

function withCaption(content: object, caption: string | undefined): AnyMediaMessageContent {
  return (caption ? { ...content, caption } : content) as AnyMediaMessageContent
}
