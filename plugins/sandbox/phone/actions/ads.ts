import { type Action, type ActionParts, requireField } from './action.ts'

/** An ad as it is shown above the message; each field may be missing. */
interface AdData {
  Id: string
  Url: string
  Headline: string
  Body: string
  ClickId: string
  /** Addresses of the picture, and of the video if it has one. */
  Picture: string
  Video: string
  /** The text with which the business greets. */
  Greeting: string
  /** `facebook` or `instagram`. */
  App: string
  /** `post` for a post that is not an ad. */
  Type: string
  /** Only says that it came from an ad, in a form for WhatsApp's servers, as some linked devices get it (Baileys#2354). */
  Opaque: boolean
}

const VIDEO = 2
const IMAGE = 1

/** Sends `Text` to the business `Chat` after a tap on its ad: `Data` has Id, Url, Headline, Body, ClickId … */
export async function writeFromAd(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const ad = (action.Data ?? {}) as Partial<AdData>
  const contextInfo = {
    conversionSource: ad.Type === 'post' ? 'FB_Post' : 'FB_Ads',
    conversionData: Buffer.from(`ad ${ad.Id ?? ''}`),
    conversionDelaySeconds: 12,
    entryPointConversionSource: 'ctwa_ad',
    entryPointConversionApp: ad.App ?? 'facebook',
    entryPointConversionDelaySeconds: 12,
    ...(ad.Opaque ? { ctwaPayload: Buffer.from('opaque') } : { externalAdReply: shownAd(ad) }),
  }
  const content = { extendedTextMessage: { text: requireField(action, 'Text'), contextInfo } }
  const message = parts.wire.proto.Message.fromObject(content)
  return { Id: await parts.sendMessage(parts.chatOf(requireField(action, 'Chat')), message) }
}

function shownAd(ad: Partial<AdData>): Record<string, unknown> {
  return {
    title: ad.Headline,
    body: ad.Body,
    mediaType: ad.Video ? VIDEO : ad.Picture ? IMAGE : undefined,
    thumbnailUrl: ad.Picture,
    ...(ad.Video ? { mediaUrl: ad.Video } : { originalImageUrl: ad.Picture }),
    sourceType: ad.Type ?? 'ad',
    sourceId: ad.Id,
    sourceUrl: ad.Url,
    sourceApp: ad.App ?? 'facebook',
    ctwaClid: ad.ClickId,
    showAdAttribution: true,
    renderLargerThumbnail: true,
    greetingMessageBody: ad.Greeting,
  }
}
