import { createHash } from 'node:crypto'

/** SHA-256 of an option's name, by which votes and the right answer of a quiz name it. */
export function optionHash(name: string): Buffer {
  return createHash('sha256').update(name).digest()
}

/** Names of the options of a poll of any version; none for other content. */
export function optionsIn(content: object): string[] {
  const found = Object.entries(content).find(([name, part]) => name.startsWith('pollCreationMessage') && part)
  const { options } = (found?.[1] ?? {}) as { options?: { optionName?: string | null }[] | null }
  return (options ?? []).map(({ optionName }) => optionName ?? '')
}
