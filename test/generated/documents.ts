import { answers } from '../interface/answers.ts'
import { INTERFACE, interfaceSnapshot } from '../kit/interface.ts'
import { errorCodes, pluginReference } from '../kit/reference.ts'
import { actionTable } from './actions.ts'
import { behaviours } from './behaviours.ts'
import { client, sends } from './client.ts'
import { phpClient } from './clients/php.ts'
import { pythonClient } from './clients/python.ts'
import { withCounts } from './counts.ts'
import { events } from './events.ts'
import { patches } from './patches.ts'
import { reference } from './reference.ts'
import { services } from './services.ts'

/** Documents that are made from the code, by their paths: people read them in the repository, and a test compares them. */
export const DOCUMENTS: Readonly<Record<string, () => Promise<string>>> = {
  'README.md': () => withCounts('README.md'),
  'config/REFERENCE.md': reference,
  'config/client/sends.ts': sends,
  'config/services.ts': services,
  'kernel/docs/actions.md': actionTable,
  'kernel/docs/errors.md': errorCodes,
  'kernel/docs/moving-over.md': () => withCounts('kernel/docs/moving-over.md'),
  'plugins/baileys/README.md': patches,
  'plugins/sandbox/WHATSAPP.md': behaviours,
  'plugins/webhook/EVENTS.md': events,
  [INTERFACE]: interfaceSnapshot,
}

const python = (file: string) => async (): Promise<string> => (await pythonClient())[file] ?? ''
const php = (file: string) => async (): Promise<string> => (await phpClient())[file] ?? ''

/** The generated parts of the clients in other languages. */
export const CLIENTS: Readonly<Record<string, () => Promise<string>>> = {
  'config/client/php/src/Api.php': php('Api.php'),
  'config/client/php/src/Types.php': php('Types.php'),
  'config/client/python/wamux/api.py': python('api.py'),
  'config/client/python/wamux/async_api.py': python('async_api.py'),
  'config/client/python/wamux/sends.py': python('sends.py'),
  'config/client/python/wamux/types.py': python('types.py'),
}

/** Those that only compilers and readers of the package need: they are not in git. */
export const PACKAGED: Readonly<Record<string, () => Promise<string>>> = {
  'config/client/api.ts': client,
  ...CLIENTS,
  'kernel/docs/plugin-api.md': pluginReference,
  'test/interface/ANSWERS.md': answers,
}
