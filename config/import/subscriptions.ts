/** Classes of events that a session can subscribe to one by one; every other event comes with `All` alone. */
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

/** WuzAPI's names of events, several of which are one class here. */
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
  // Of its own features: nothing here corresponds to them.
  APPLICATION_STARTUP: [],
  TYPEBOT_START: [],
  TYPEBOT_CHANGE_STATUS: [],
  INSTANCE_CREATE: [],
  INSTANCE_DELETE: [],
}

/** Evolution's names of events; without any it sends all. */
export function classesOfEvolution(events: unknown): string[] {
  const names = Array.isArray(events) ? events.map(String) : []
  return narrowed(names.flatMap((name) => EVOLUTION[name.toUpperCase().replace(/\./g, '_')] ?? [name]))
}

/** `All` where one of them comes with it alone: what was subscribed to must not be missing. */
function narrowed(names: readonly string[]): string[] {
  const classes = [...new Set(names)]
  return classes.length > 0 && classes.every((name) => CLASSES.has(name)) ? classes : ['All']
}
