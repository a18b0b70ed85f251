import { EVENTS } from '../../../plugins/formats/evolution/format.ts'

/** Event classes that a session can subscribe to individually; all other events come only with `All`. */
const CLASSES = new Set([
  'Message',
  'ReadReceipt',
  'Presence',
  'ChatPresence',
  'HistorySync',
  'Call',
  'Newsletter',
  'LoggedOut',
])

/** WuzAPI's event names, several of which map to one class. */
export function classesOfWuzapi(events: string): string[] {
  const names = events.split(',').flatMap((name) => name.trim() || [])
  return narrowed(
    names.map((name) =>
      name.startsWith('Call') ? 'Call' : name.startsWith('Newsletter') ? 'Newsletter' : name,
    ),
  )
}

const EVOLUTION: Readonly<Record<string, readonly string[]>> = {
  MESSAGES_UPSERT: ['Message'],
  MESSAGES_EDITED: ['Message'],
  MESSAGES_DELETE: ['Message'],
  SEND_MESSAGE: ['Message'],
  SEND_MESSAGE_UPDATE: ['Message', 'ReadReceipt'],
  MESSAGES_UPDATE: ['Message', 'ReadReceipt'],
  MESSAGES_SET: ['HistorySync'],
  PRESENCE_UPDATE: ['Presence', 'ChatPresence'],
  CALL: ['Call'],
  LOGOUT_INSTANCE: ['LoggedOut'],
  // Features of WuzAPI without a counterpart.
  APPLICATION_STARTUP: [],
  TYPEBOT_START: [],
  TYPEBOT_CHANGE_STATUS: [],
  INSTANCE_CREATE: [],
  INSTANCE_DELETE: [],
}

/** Evolution's event names; without any it sends all. */
export function classesOfEvolution(events: unknown): string[] {
  const names = Array.isArray(events) ? events.map(String) : []
  return narrowed(names.flatMap((name) => EVOLUTION[plain(name)] ?? [name]))
}

/** Those of its events that the format of its webhooks has here; undefined without any. */
export function eventsOfEvolution(events: unknown): string[] | undefined {
  const names = Array.isArray(events) ? events.map((name) => plain(String(name))) : []
  const known = EVENTS.filter((event) => names.includes(plain(event)))
  return known.length > 0 ? known : undefined
}

function plain(name: string): string {
  return name.toUpperCase().replace(/[.-]/g, '_')
}

/** `All` if one of them comes only with it: no subscribed event must be missing. */
function narrowed(names: readonly string[]): string[] {
  const classes = [...new Set(names)]
  return classes.length > 0 && classes.every((name) => CLASSES.has(name)) ? classes : ['All']
}
