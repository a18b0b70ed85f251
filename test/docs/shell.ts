/** Lines of shell text as a shell joins them, without comments. */
export function linesOf(text: string): string[] {
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'))
}

/** The simple commands of a line as their words, without the variables set before them. */
export function commandsIn(line: string): string[][] {
  return split(line, /^(&&|\|\||[|;&])/)
    .map((command) => split(command, /^\s+/).filter((word) => word !== '!'))
    .map((words) => words.slice(words.findIndex((word) => !isAssignment(word)) >>> 0))
    .filter((words) => words.length > 0)
}

export function isAssignment(word: string): boolean {
  return /^\w+=/.test(word)
}

/** Splits outside of quotes and of `$( )`. */
function split(text: string, separator: RegExp): string[] {
  const parts: string[] = []
  let part = ''
  let quote = ''
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (quote) quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if (text.startsWith('$(', at)) depth += 1
    else if (char === ')' && depth > 0) depth -= 1
    const [found] = (!quote && depth === 0 && separator.exec(text.slice(at))) || []
    if (found) {
      parts.push(part)
      part = ''
      at += found.length - 1
    } else part += char
  }
  return [...parts, part].map((one) => one.trim()).filter(Boolean)
}
