/** A text with its number, by which a receiver counts it once. */
export function textOf(number: number): string {
  return `#${number}# twenty-two bytes long.`
}

/** The number of the text in it, wherever it stands. */
export function numberIn(body: string): number | undefined {
  const [, digits] = /#(\d+)#/.exec(body) ?? []
  return digits === undefined ? undefined : Number(digits)
}
