import type { AnyMediaMessageContent, proto, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, isGatewayError, reasonOf } from 'wamux/plugin'
import { prepareWAMessageMedia } from '../baileys.ts'

/** Uploads files for messages that Baileys can't build: picture headers, cards, large link previews. */
export function uploadOf(wa: WASocket) {
  return async (
    chat: string,
    content: AnyMediaMessageContent,
    use?: 'thumbnail-link',
  ): Promise<proto.IMessage> => {
    try {
      return await prepareWAMessageMedia(content, {
        upload: wa.waUploadToServer,
        jid: chat,
        logger: wa.logger,
        ...(use ? { mediaTypeOverride: use } : {}),
      })
    } catch (cause) {
      if (isGatewayError(cause)) throw cause
      throw gatewayError('UPLOAD_FAILED', [reasonOf(cause)], { cause })
    }
  }
}
