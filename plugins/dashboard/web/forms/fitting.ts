/** A shorter word is in nearly every id by chance. */
const MIN_ID_PART = 4

/**
 * Whether texts have all words of what was typed, whatever their case and accents: `koln` fits Köln. A word of at least four
 * characters may also be a part of one of `ids`: ids, phone numbers and the like.
 */
export function fitting(typed: string): (texts: readonly string[], ids?: readonly string[]) => boolean {
  const words = plain(typed).split(/\s+/).filter(Boolean)
  return (texts, ids = []) => {
    if (words.length === 0) return true
    const text = plain(texts.join(' '))
    const id = plain(ids.join(' '))
    return words.every((word) => text.includes(word) || (word.length >= MIN_ID_PART && id.includes(word)))
  }
}

/** In lower case and without accents. */
export const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
