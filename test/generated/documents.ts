import { events } from './events.ts'
import { reference } from './reference.ts'

/** Documents that are made from the code, by their paths. */
export const DOCUMENTS: Readonly<Record<string, () => Promise<string>>> = {
  'config/REFERENCE.md': reference,
  'plugins/webhook/EVENTS.md': events,
}
