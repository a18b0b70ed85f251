/** `sendText` → `send_text`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter, at: number) => `${at > 0 ? '_' : ''}${letter.toLowerCase()}`)
}

/** `sendText`, `dead-letters` → `SendText`, `DeadLetters`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Name of the method that iterates over all pages: `getChats` → `iterateChats`. */
export function iterating(id: string): string {
  return `iterate${pascal(id.replace(/^get(?=[A-Z])/, ''))}`
}
