import type { Shape } from './bodies.ts'

/** What a route answered, and what the network did meanwhile. */
export interface Answered {
  readonly status: number
  readonly text: string
  /** The network is not as it was before. */
  readonly isChanged: boolean
  /** A page, a file or a stream, outside the envelope; a page may also say that there is none. */
  readonly isPlain: boolean
}

/** Throws what is wrong with an answer: no answer of the interface, a defect of ours, or a refusal that was none. */
export function judge(answered: Answered, schema: Shape | undefined): void {
  const { status, text, isPlain } = answered
  if (isPlain && status < 500) return
  const error = errorIn(answered)
  if (status >= 500) assertCaused(answered)
  if (status >= 400 && status < 500 && answered.isChanged)
    throw new Error(`it answered ${status} and changed the network: ${text}`)
  if (status !== 400) return
  const isClear =
    /^(Could not decode Payload|Could not parse (Phone|Group JID)|Missing header |Unknown field \S+ in Payload)/.test(
      error,
    ) ||
    // The contract's own words have a field in small letters: "Invalid presence type".
    namesOf(schema).some((name) => error.toLowerCase().includes(name.toLowerCase()))
  if (!isClear) throw new Error(`a 400 that names no field: ${text}`)
}

/** The text of an error; throws where the answer is not in the envelope. */
function errorIn({ status, text }: Answered): string {
  let answer: { code?: unknown; success?: unknown; data?: unknown; error?: unknown }
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    throw new Error(`no JSON: ${text}`, { cause })
  }
  const { code, success, data, error } = answer
  const isEnvelope =
    code === status &&
    (status < 400
      ? success === true && typeof data === 'object' && data !== null
      : success === false && typeof error === 'string')
  if (!isEnvelope) throw new Error(`not the envelope: ${text}`)
  return String(error)
}

/** The network answers everything here, so only its refusals are a cause: a 502 that tells the network's code. */
function assertCaused({ status, text }: Answered): void {
  if (status === 502 && /\(4\d\d\)|code 4\d\d/.test(text)) return
  throw new Error(`a ${status} that the network did not cause: ${text}`)
}

/** Every name of a field, at any level: an error must say one of them. */
function namesOf(shape: Shape | undefined): string[] {
  if (!shape) return []
  const own = Object.entries(shape.properties ?? {})
  const inner = [
    ...own.map(([, field]) => field),
    ...(shape.anyOf ?? []),
    ...(shape.items ? [shape.items] : []),
  ]
  return [...own.map(([name]) => name), ...inner.flatMap(namesOf)]
}
