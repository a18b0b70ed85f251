import type { proto } from '@whiskeysockets/baileys'
import type { Ad } from '../normal-message.ts'

type Context = proto.IContextInfo

/** Values of `conversionSource` for ads and posts of Meta. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['FB_Ads', 'ad'],
  ['FB_Post', 'post'],
])
const ENTRY_POINT = 'ctwa_ad'
const VIDEO = 2

/**
 * The ad or post from which a message was written. Without its card some devices get only tokens for Meta's servers
 * (WhiskeySockets/Baileys#2354). A card alone is none: bots show links in the same form.
 */
export function adOf({
  externalAdReply: card,
  conversionSource,
  entryPointConversionSource,
  entryPointConversionApp,
}: Context): Ad | undefined {
  const source = card?.sourceType || (SOURCES.get(conversionSource ?? '') ?? '')
  const isAd = card?.ctwaClid || card?.sourceId || source || entryPointConversionSource === ENTRY_POINT
  if (!isAd) return undefined
  const media = card && mediaOf(card)
  return {
    source,
    id: card?.sourceId ?? '',
    url: card?.sourceUrl ?? '',
    headline: card?.title ?? '',
    body: card?.body ?? '',
    ctwaClid: card?.ctwaClid ?? '',
    app: card?.sourceApp || entryPointConversionApp || '',
    ...(card?.greetingMessageBody ? { greeting: card.greetingMessageBody } : {}),
    ...(media ? { media } : {}),
  }
}

function mediaOf({
  mediaType,
  mediaUrl,
  originalImageUrl,
  thumbnailUrl,
}: proto.ContextInfo.IExternalAdReplyInfo): Ad['media'] {
  const picture = originalImageUrl || thumbnailUrl || ''
  if (mediaType === VIDEO) return { type: 'video', url: mediaUrl ?? '', thumbnailUrl: thumbnailUrl ?? '' }
  return picture ? { type: 'image', url: picture, thumbnailUrl: '' } : undefined
}
