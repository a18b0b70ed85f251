import type { AnyMediaMessageContent } from '@whiskeysockets/baileys'
import { type GatewayServices, gatewayError, type Kernel, type Session, type Viewer } from 'wamux/plugin'
import { type CloudMediaStore, EVENT_ID } from '../store/media-store.ts'
import type { FileGiven } from './body.ts'

type FileKind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

/** The caller that names the file, and the session. */
interface Asking {
  readonly session: Session
  readonly viewer: Viewer
}

/** Creates message content from files that clients name by id or link. */
export interface CloudFiles {
  content(asking: Asking, kind: FileKind, given: FileGiven, field?: string): Promise<AnyMediaMessageContent>
}

type Deps = Pick<Kernel<unknown>, 'events'> &
  Pick<GatewayServices, 'media' | 'attachments'> & { mediaStore: CloudMediaStore }

export function createFiles({ events, media, attachments, mediaStore }: Deps): CloudFiles {
  /** A file in the form of the service `media`: a link or a data URL. */
  async function textOf(asking: Asking, field: string, { id, link }: FileGiven): Promise<Named> {
    if (link && !id) return { text: link, name: '', type: '' }
    if (!id) throw gatewayError('FIELD_MISSING', [`${field}.id`])
    const found = EVENT_ID.test(id) ? await received(asking, id) : await uploaded(asking, id)
    if (!found) throw gatewayError('FIELD_INVALID', [`${field}.id`, `there is no file ${id}`])
    return found
  }

  async function uploaded({ session, viewer }: Asking, id: string): Promise<Named | undefined> {
    const head = await mediaStore.head(session.id, id, viewer)
    if (!head) return undefined
    const bytes = await mediaStore.bytes(session.id, id)
    return { text: dataUrl(head.type, bytes.toString('base64')), name: head.name, type: head.type }
  }

  async function received({ session, viewer }: Asking, id: string): Promise<Named | undefined> {
    const event = await events.find(id, viewer)
    if (event?.session !== session.id) return undefined
    const { base64, mediaError, mimeType = '', fileName = '' } = await attachments.attach(event)
    if (base64) return { text: dataUrl(mimeType, base64), name: fileName, type: mimeType }
    throw gatewayError('MEDIA_UNREACHABLE', [id, mediaError ?? 'the file is too large to send again'])
  }

  return {
    async content(asking, kind, given, field = kind) {
      const { text, name, type } = await textOf(asking, field, given)
      const own = media.of(asking.session.id)
      const caption = given.caption ? { caption: given.caption } : {}
      switch (kind) {
        case 'image': {
          const { bytes, mime, width, height, thumbnail } = await own.image(field, text)
          const size = { mimetype: mime, width, height, jpegThumbnail: thumbnail.toString('base64') }
          return { image: bytes, ...size, ...caption } as AnyMediaMessageContent
        }
        case 'video': {
          const { bytes, mime, seconds = 0, width, height, thumbnail } = await own.video(field, text)
          const size = width && height ? { width, height } : {}
          // An empty thumbnail keeps Baileys from starting ffmpeg to create one.
          const jpegThumbnail = thumbnail?.toString('base64') ?? ''
          const shown = { mimetype: mime, seconds: Math.round(seconds), ...size, jpegThumbnail }
          return { video: bytes, ...shown, ...caption } as AnyMediaMessageContent
        }
        case 'audio': {
          const form = given.voice ? 'voice' : 'file'
          // Graph treats Ogg with Opus as a voice message, whatever the request says.
          const asked = given.voice === undefined && /^audio\/ogg/.test(type) ? 'best' : form
          const { bytes, mime, isVoice, seconds = 0, waveform } = await own.audio(field, text, asked)
          const wave = waveform ? { waveform } : {}
          return { audio: bytes, ptt: isVoice, mimetype: mime, seconds: Math.round(seconds), ...wave }
        }
        case 'document': {
          const { bytes, mime } = await own.file(field, text)
          const fileName = given.filename || name || lastOf(given.link ?? '') || 'file'
          return { document: bytes, fileName, mimetype: type || mime, ...caption } as AnyMediaMessageContent
        }
        case 'sticker': {
          const { bytes, mime, isAnimated } = await own.sticker(field, text)
          return { sticker: bytes, isAnimated, mimetype: mime } as AnyMediaMessageContent
        }
      }
    },
  }
}

interface Named {
  text: string
  name: string
  type: string
}

function dataUrl(type: string, base64: string): string {
  return `data:${type};base64,${base64}`
}

/** The last path segment of a link. */
function lastOf(link: string): string {
  const path = URL.canParse(link) ? new URL(link).pathname : ''
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1).replace(/%(?![\da-f]{2})/gi, '%25'))
}
