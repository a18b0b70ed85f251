/** An event in the list; its JSON is parsed again when it is opened, which takes less memory than objects. */
export interface EventRow {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly time: string
  readonly session: string
  readonly sessionName: string
  /** The chat by its JID, as far as the event has one; '' for an event of the session. */
  readonly chat: string
  /** What happened, in one line. */
  readonly text: string
  /** Id of its message; '' for none. */
  readonly message: string
  readonly json: string
}

export type EventFields = Readonly<Record<string, unknown>>

const MAX_TEXT = 200

/** @param given an event as the interface returns it. */
export function toEventRow(given: EventFields): EventRow {
  const message = fieldsOf(given.message)
  const receipt = fieldsOf(given.receipt)
  const event = fieldsOf(given.event)
  const ids = Array.isArray(receipt.ids) ? receipt.ids : []
  return {
    seq: Number(given.seq),
    id: textOf(given.eventId),
    type: textOf(given.type),
    time: textOf(given.timestamp),
    session: textOf(given.userID),
    sessionName: textOf(given.instanceName),
    chat: jidOf(fieldsOf(message.chat ?? receipt.chat)) || textOf(event.Chat ?? event.GroupJID ?? event.From),
    text: oneLine(given, { message, receipt, event }).replace(/\s+/g, ' ').slice(0, MAX_TEXT),
    message: textOf(message.id ?? ids[0] ?? event.Id),
    json: JSON.stringify(given),
  }
}

interface Parts {
  readonly message: EventFields
  readonly receipt: EventFields
  readonly event: EventFields
}

function oneLine({ state }: EventFields, { message, receipt, event }: Parts): string {
  if (message.type) {
    const from = message.isFromMe ? '→' : nameOf(fieldsOf(message.from))
    const kind = message.type === 'text' ? '' : `[${textOf(message.type)}]`
    const emoji = textOf(fieldsOf(message.reaction).emoji)
    return [from, kind, emoji, textOf(message.text)].filter(Boolean).join(' ')
  }
  if (receipt.status) return `${textOf(receipt.status)} · ${nameOf(fieldsOf(receipt.from))}`
  return [textOf(state), ...Object.entries(event).flatMap(([name, value]) => scalar(name, value))]
    .filter(Boolean)
    .join(' · ')
}

function scalar(name: string, value: unknown): string[] {
  const isShown = (typeof value === 'string' && value !== '') || typeof value === 'number' || value === true
  return isShown ? [`${name}: ${String(value)}`] : []
}

/** A readable form of an event: names and values of its plain fields, followed by those of its parts. */
export function factsOf(given: EventFields): [name: string, value: string][] {
  const { event, message, receipt } = given
  const parts = [message, receipt].filter((part) => part !== undefined)
  return (parts.length > 0 ? parts : [event]).flatMap((part) => flat('', part)).slice(0, 80)
}

function flat(prefix: string, value: unknown): [string, string][] {
  // Most fields of a message are false and say little.
  if (value === null || value === '' || value === undefined || value === false) return []
  if (Array.isArray(value))
    return value.every((one) => typeof one !== 'object')
      ? value.length > 0
        ? [[prefix, value.join(', ')]]
        : []
      : value.slice(0, 20).flatMap((one, at) => flat(`${prefix} ${at + 1}`, one))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([name, one]) => flat(prefix ? `${prefix} ${name}` : name, one))
  return [[prefix, String(value)]]
}

/** By number if it is known: names are found by either form. */
function jidOf({ phone, jid }: EventFields): string {
  return textOf(phone) ? `${textOf(phone)}@s.whatsapp.net` : textOf(jid)
}

/** Name, or else number, or else JID. */
function nameOf({ name, phone, jid }: EventFields): string {
  return textOf(name) || textOf(phone) || textOf(jid)
}

export function fieldsOf(value: unknown): EventFields {
  return typeof value === 'object' && value !== null ? (value as EventFields) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
