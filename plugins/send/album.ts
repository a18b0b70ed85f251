import { createHash, randomBytes } from 'node:crypto'
import type { AnyMediaMessageContent, AnyMessageContent } from '@whiskeysockets/baileys'
import type { Sent } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Static } from 'wamux/plugin'
import { imageOf, type SendMedia, videoOf } from './files.ts'

type Sender = GatewayServices['sender']
type Request = Parameters<Sender['send']>[1]
type SentAnswer = Static<typeof Sent>

export interface Item {
  Image?: string
  Video?: string
  Caption?: string
}

/** A picture or video of an album, ready to be sent. */
interface Made {
  readonly isVideo: boolean
  readonly content: AnyMediaMessageContent
}

export interface SentAlbum extends SentAnswer {
  readonly Items: string[]
}

/** Decodes all files before anything is sent. */
export async function itemsOf(media: SendMedia, items: readonly Item[]): Promise<Made[]> {
  if (items.length < 2) throw gatewayError('FIELD_INVALID', ['Items', 'at least 2 are required'])
  const made: Made[] = []
  for (const [at, { Image, Video, Caption: caption }] of items.entries()) {
    if (Boolean(Image) === Boolean(Video))
      throw gatewayError('FIELD_INVALID', [`Items[${at}]`, 'must have Image or Video, and not both'])
    const content = Image
      ? await imageOf(media, { field: `Items[${at}].Image`, file: Image, caption })
      : await videoOf(media, { field: `Items[${at}].Video`, file: Video ?? '', caption })
    made.push({ isVideo: !Image, content })
  }
  return made
}

/**
 * Sends the message that announces the album, then its files, which name it as their parent. The ids of the files are derived from its
 * id, so that a repeated request sends those that are missing, and no other ones.
 */
export async function sendAlbum(
  sender: Sender,
  request: Request,
  chat: string,
  made: readonly Made[],
): Promise<SentAlbum> {
  const isKeyed = Boolean(request.body.Id || request.header('Idempotency-Key'))
  // The answer has the ids of all messages, so it cannot be given before they are sent.
  const header = (name: string): string => (name === 'Prefer' ? '' : request.header(name))
  const body = isKeyed ? request.body : { ...request.body, Id: newId() }
  const videos = made.filter(({ isVideo }) => isVideo).length
  const album = { expectedImageCount: made.length - videos, expectedVideoCount: videos }
  const parent = await sentBy(sender, { ...request, body, header }, chat, { album } as AnyMessageContent)
  const albumParentKey = { remoteJid: parent.Chat, fromMe: true, id: parent.Id }
  const Items: string[] = []
  for (const [at, { content }] of made.entries()) {
    const item = { Phone: request.body.Phone ?? '', Album: parent.Id, Item: at, Id: itemId(parent.Id, at) }
    const part = {
      ...request,
      body: item,
      header: (name: string) => (name === 'Idempotency-Key' ? '' : header(name)),
    }
    Items.push((await sentBy(sender, part, chat, { ...content, albumParentKey } as AnyMessageContent)).Id)
  }
  return { ...parent, Items }
}

async function sentBy(
  sender: Sender,
  request: Request,
  chat: string,
  content: AnyMessageContent,
): Promise<SentAnswer> {
  let sent: SentAnswer | undefined
  await sender.send('/send/album', request, () => content, {
    chat,
    answer: (one) => {
      sent = one
      return one
    },
  })
  if (!sent) throw gatewayError('SEND_FAILED', ['the album was not sent'])
  return sent
}

/** In the format of Baileys' own ids. */
function newId(): string {
  return `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
}

function itemId(album: string, at: number): string {
  const hash = createHash('sha256').update(`${album} ${at}`).digest('hex')
  return `3EB0${hash.slice(0, 18).toUpperCase()}`
}
