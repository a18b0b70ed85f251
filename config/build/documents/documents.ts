import { readFileSync } from 'node:fs'
import { PATCHES } from '../../../plugins/baileys/baileys.ts'
import { SOCKET_PATCHES } from '../../../plugins/baileys/socket/patches.ts'
import { phpClient } from '../../../plugins/docs/clients/php.ts'
import { pythonClient } from '../../../plugins/docs/clients/python.ts'
import { client, sends } from '../../../plugins/docs/clients/typescript.ts'
import { describeGateway } from '../../cli/describe-plugins.ts'
import { loadConfig } from '../../load.ts'
import type { Profile } from '../../profiles.ts'
import { actions } from './action-rows.ts'
import { answers } from './answers.ts'
import { behaviours } from './behaviours.ts'
import { events } from './events.ts'
import { INTERFACE, interfaceSnapshot } from './interface.ts'
import { leaves } from './leaves.ts'
import { errorCodes, pluginReference } from './plugin-reference.ts'
import { reference } from './reference.ts'
import { table } from './schema-words.ts'
import { services } from './services.ts'

const FILE = 'plugins/baileys/README.md'
const BEGIN = '<!-- patches: made by `npm run docs` -->\n'
const END = '<!-- /patches -->'

/** The README of the driver, with the table of its patches as the code has them. */
async function patches(): Promise<string> {
  const text = readFileSync(FILE, 'utf8')
  const [before = '', rest = ''] = text.split(BEGIN)
  const [, after = ''] = rest.split(END)
  const rows = [...PATCHES, ...SOCKET_PATCHES].map(
    ({ name, seam, effect, issue }) =>
      `| ${name} | ${[seam, issue].filter(Boolean).join('; ')} | ${effect} |\n`,
  )
  const table = `| patch | seam | with it |\n|---|---|---|\n${rows.join('')}`
  return `${before}${BEGIN}${table}${END}${after}`
}

const NUMBERS = /\d+ routes in the profile `standard`, \d+ in the profile `all`/

/** The document with the numbers of routes that there are. Throws if it does not name them. */
async function withCounts(file: string): Promise<string> {
  const text = readFileSync(file, 'utf8')
  if (!NUMBERS.test(text)) throw new Error(`${file} does not say how many routes there are`)
  const [standard, all] = [await routesOf('standard'), await routesOf('all')]
  return text.replace(
    NUMBERS,
    `${standard} routes in the profile \`standard\`, ${all} in the profile \`all\``,
  )
}

async function routesOf(profile: Profile): Promise<number> {
  const { plugins } = describeGateway(await loadConfig({ WAMUX_PROFILE: profile }))
  return plugins.reduce((sum, { routes }) => sum + routes.length, 0)
}

const HEADS = ['Request', 'Effect', 'Refused', 'Event', 'Limits']
const NOTHING = ['none', 'none known']

/** What each action beyond the specified interface does on WhatsApp. */
async function actionTable(): Promise<string> {
  const parts = actions.map(({ heading, actions: rows }) => {
    const cells = rows.map(({ endpoint, effect, refused, event, limits }) => [
      `\`${endpoint}\``,
      effect,
      refused,
      NOTHING.includes(event) ? '' : event,
      NOTHING.includes(limits) ? '' : limits,
    ])
    return `## ${heading}\n\n${table(HEADS, cells)}\n`
  })
  return `# Actions beyond the interface

Made by \`npm run docs\` from config/build/documents/action-rows.ts: actions on WhatsApp beyond the 118 endpoints of the specified
interface. For each, one test sees its effect on the other phone or the account's own, and one a refusal that changes nothing.
An empty cell: no event, or no known limit. Refusals that all requests have (401, 403 for a scope or a chat, 404 or 502 without
a link, 429) are left out; "by the network" means that WhatsApp refuses. Limits are those of WhatsApp's apps and network, which
may change.

${parts.join('\n')}`
}

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
