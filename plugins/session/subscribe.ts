import { type Events, gatewayError } from 'wamux/plugin'

/** Refuses classes that no enabled plugin provides: who subscribes to one would wait for ever. */
export function assertClasses(events: Events, subscribe: readonly string[] | undefined): void {
  const known = [...events.classes(), 'All']
  const unknown = subscribe?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw gatewayError('CLASS_UNKNOWN', [unknown, known.join(', ')])
}
