import { printable } from '../../kernel/logging/readable.ts'

/**
 * Prints lines on standard output: everything that a command writes for a person goes through here, because gateways, receivers
 * and contacts may send what a terminal obeys. A line break inside a line is made visible, so no text can forge a line.
 */
export function print(...lines: string[]): void {
  process.stdout.write(printed(lines))
}

/** The same on standard error. */
export function printError(...lines: string[]): void {
  process.stderr.write(printed(lines))
}

/** Texts with line breaks of our own. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}

function printed(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join('')
}
