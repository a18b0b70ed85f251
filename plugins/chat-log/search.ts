import type { MessageQuery, Messages } from './messages.ts'
import type { Shown } from './view.ts'

/**
 * Messages with all words of `text`, newest first. Contents are sealed, so each message is decrypted: at most `most` per
 * call. @returns `read`: the number of decrypted messages.
 */
export async function search<I>(
  messages: Messages,
  query: Omit<MessageQuery, 'matches'>,
  text: string,
  toItem: (shown: Shown) => I,
): Promise<{ items: readonly I[]; next: number; read: number }> {
  const words = plain(text).split(/\s+/).filter(Boolean)
  let read = 0
  const matches = ({ message, deleted }: Shown): boolean => {
    read += 1
    if (deleted) return false
    const content = plain(`${message.text} ${message.media?.fileName ?? ''}`)
    return words.every((word) => content.includes(word))
  }
  const found = await messages.page({ ...query, matches }, toItem)
  return { ...found, read }
}

/** Removes case and accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
