import type { MessageQuery, Messages } from './messages.ts'
import type { Shown } from './view.ts'

/**
 * Messages that have all words of `text`, newest first. Contents are sealed, so each message is decrypted: at most `most`
 * for one call. @returns `read`: how many that were.
 */
export async function search(
  messages: Messages,
  query: Omit<MessageQuery, 'matches'>,
  text: string,
): Promise<{ shown: Shown[]; next: number; read: number }> {
  const words = plain(text).split(/\s+/).filter(Boolean)
  let read = 0
  const found = await messages.page({
    ...query,
    matches({ message, deleted }) {
      read += 1
      if (deleted) return false
      const content = plain(`${message.text} ${message.media?.fileName ?? ''}`)
      return words.every((word) => content.includes(word))
    },
  })
  return { ...found, read }
}

/** Without case and accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
