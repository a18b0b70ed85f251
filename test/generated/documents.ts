import { answers } from '../interface/answers.ts'
import { client } from './client.ts'
import { events } from './events.ts'
import { patches } from './patches.ts'
import { reference } from './reference.ts'
import { services } from './services.ts'

/** Documents that are made from the code, by their paths. */
export const DOCUMENTS: Readonly<Record<string, () => Promise<string>>> = {
  'config/REFERENCE.md': reference,
  'config/client/api.ts': client,
  'config/services.ts': services,
  'plugins/baileys/README.md': patches,
  'plugins/webhook/EVENTS.md': events,
  'test/interface/ANSWERS.md': answers,
}
