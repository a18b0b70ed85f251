import { phpClient } from '../../../plugins/docs/clients/php.ts'
import { pythonClient } from '../../../plugins/docs/clients/python.ts'
import { client, sends } from '../../../plugins/docs/clients/typescript.ts'
import { actionTable } from './actions.ts'
import { answers } from './answers.ts'
import { behaviours } from './behaviours.ts'
import { withCounts } from './counts.ts'
import { events } from './events.ts'
import { INTERFACE, interfaceSnapshot } from './interface.ts'
import { leaves } from './leaves.ts'
import { patches } from './patches.ts'
import { errorCodes, pluginReference } from './plugin-reference.ts'
import { reference } from './reference.ts'
import { services } from './services.ts'

/** Documents that are made from the code, by their paths: people read them in the repository, and a test compares them. */
export const DOCUMENTS: Readonly<Record<string, () => Promise<string>>> = {
  'README.md': () => withCounts('README.md'),
  'config/REFERENCE.md': reference,
  'plugins/docs/clients/typescript/sends.ts': sends,
  'config/services.ts': services,
  'kernel/docs/actions.md': actionTable,
  'kernel/docs/errors.md': errorCodes,
  'kernel/docs/leaves.md': leaves,
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
  'plugins/docs/clients/php/src/Api.php': php('Api.php'),
  'plugins/docs/clients/php/src/Types.php': php('Types.php'),
  'plugins/docs/clients/python/wamux/api.py': python('api.py'),
  'plugins/docs/clients/python/wamux/async_api.py': python('async_api.py'),
  'plugins/docs/clients/python/wamux/sends.py': python('sends.py'),
  'plugins/docs/clients/python/wamux/types.py': python('types.py'),
}

/** Those that only compilers and readers of the package need: they are not in git. */
export const PACKAGED: Readonly<Record<string, () => Promise<string>>> = {
  'plugins/docs/clients/typescript/api.ts': client,
  ...CLIENTS,
  'kernel/docs/plugin-api.md': pluginReference,
  'kernel/docs/fields.md': answers,
}
