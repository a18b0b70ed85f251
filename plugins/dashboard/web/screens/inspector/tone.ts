import type { Tone } from '../../parts/badge.tsx'

/** The colour of an event by its type. */
export function toneOf(type: string): Tone {
  if (type === 'Message') return 'good'
  if (type === 'ReadReceipt') return 'info'
  if (/Fail|Undecryptable|Disabled|LoggedOut|Disconnected|Error/.test(type)) return 'bad'
  return 'neutral'
}
