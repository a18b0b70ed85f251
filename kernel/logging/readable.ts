/** Lines of the log for people at a terminal. */

const NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: '',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
const RED = 31
const YELLOW = 33
const GREY = 90
/** What the text of a line already says, or nobody at a terminal needs. */
const HIDDEN = new Set(['level', 'time', 'msg', 'request', 'method', 'path', 'status', 'ms', 'err', 'help'])

type Line = Readonly<Record<string, unknown>>

/** Controls (C0 but the tab, DEL, C1), separators of lines, and what overrides the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/**
 * One line of text from anywhere, as a terminal may print it: what a terminal obeys is made visible, C0 and DEL as their
 * pictures (`␛`), the others as `<U+009B>`. Otherwise a message could set the clipboard (OSC 52) or hide other lines.
 */
export function printable(text: string): string {
  return text.replace(CONTROLS, (sign) => {
    const code = sign.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '␡' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
  })
}

/**
 * A JSON line of the log as one line to read: local time, level above info, text, and the other fields as `name=value`;
 * the stack of an error follows. A line that is no JSON stays as it is.
 */
export function readable(json: string, isColoured: boolean): string {
  const line = parsed(json)
  if (!line) return printableLines(json)
  const level = Number(line['level'])
  const paint = (code: number, text: string): string =>
    isColoured && text ? `\u001b[${code}m${text}\u001b[0m` : text
  const fields = Object.entries(line)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => printable(`${name}=${shown(value)}`))
  const parts = [
    paint(GREY, new Date(String(line['time'])).toTimeString().slice(0, 8)),
    paint(level >= 50 ? RED : YELLOW, NAMES[level] ?? ''),
    printable(textOf(line)),
    paint(GREY, fields.join(' ')),
  ]
  const { stack } = (line['err'] ?? {}) as { stack?: string }
  return `${parts.filter(Boolean).join('  ')}\n${stack ? `${printableLines(stack)}\n` : ''}`
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** A request is its own text. */
function textOf({ msg, method, path, status, ms }: Line): string {
  return method && status ? `${method} ${path} ${status} in ${ms} ms` : String(msg ?? '')
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

function parsed(json: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(json)
    return typeof line === 'object' && line !== null ? (line as Line) : undefined
  } catch {
    return undefined
  }
}
