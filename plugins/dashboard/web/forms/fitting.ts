/** Whether texts have all words of what was typed, whatever their case and accents: `koln` fits Köln. */
export function fitting(typed: string): (...texts: string[]) => boolean {
  const words = plain(typed).split(/\s+/).filter(Boolean)
  return (...texts) => {
    if (words.length === 0) return true
    const all = plain(texts.join(' '))
    return words.every((word) => all.includes(word))
  }
}

/** In lower case and without accents. */
export const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
