import { fieldsOf, LEAVING, type Leaving, leavingOf } from '../../../kernel/leaving.ts'
import type { Route } from '../../../kernel/plugin.ts'
import { BUILTIN } from '../../builtin.ts'
import { describeGateway } from '../../cli/describe-plugins.ts'
import { loadConfig } from '../../load.ts'
import { table } from './schema-words.ts'

const KINDS = Object.keys(LEAVING) as Leaving[]
const CONTENT: readonly Leaving[] = ['profile', 'group', 'contact', 'business']

/** kernel/docs/leaves.md: every route and field by which something leaves an account. */
export async function leaves(): Promise<string> {
  const on = Object.keys(BUILTIN).map((name) => [name, name !== 'sandbox'])
  const { plugins } = describeGateway(await loadConfig({}, Object.fromEntries(on)))
  const parts = plugins.flatMap(({ name, routes }) => {
    const rows = routes.flatMap(rowOf)
    return rows.length > 0 ? [`## ${name}\n\n${table(HEADS, rows)}\n`] : []
  })
  return `# What leaves the account

Made by \`npm run docs\` from the routes. Each route and field declares what it lets out; a route that changes something and
declares nothing counts as one that lets out everything. Four things follow from it:

- **Confirmation** ([confirmation](../../plugins/confirmation/README.md), [mcp](../../plugins/mcp/README.md)): with
  \`X-Unconfirmed: none\` (\`confirmSends: always\`) every call below is refused until a person has confirmed it. The column
  "asked" is for \`known-chats\` (\`newChats\`, the default of assistants): "new chat" for a recipient to which the account has not
  written, "new host" for an address outside \`knownHosts\`, "always" for the rest. Calls that can't be undone are always asked about.
  A route that is no tool of an assistant is marked with "no tool".
- **Keys limited to chats** ([keys](../../plugins/keys/README.md)): they may send to their chats, also files by address, and change
  their groups; they can't call what lets out anything else.
- **The audit log** ([audit](../../plugins/audit/README.md)) names the kinds, and the host of an address. Messages and their files are in
  the event log instead.
- **\`x-leaves\`** in \`/openapi.json\`, for clients.

| kind | meaning |
|---|---|
${KINDS.map((kind) => `| \`${kind}\` | ${LEAVING[kind]} |`).join('\n')}

A kind without a field is decided by the route itself. Messages of a send leave with all of its fields; only those are listed that decide
who gets them. Deliveries to a webhook count where its address is set.

${parts.join('\n')}`
}

const HEADS = ['Request', 'Kind', 'Fields', 'Asked', 'Key limited to chats']

function rowOf(route: Route): string[][] {
  const kinds = leavingOf(route)
  return [...kinds].map(([kind, fields], at) => [
    at === 0 ? `\`${route.method} ${route.path}\`` : '',
    `\`${kind}\``,
    fields.map((field) => `\`${field}\``).join(', '),
    at === 0 ? askedOf(route, kinds) : '',
    at === 0 ? keyOf(route, kinds) : '',
  ])
}

function askedOf({ spec }: Route, kinds: ReadonlyMap<Leaving, unknown>): string {
  const isAlways = spec.isDestructive || CONTENT.some((kind) => kinds.has(kind))
  const parts = [kinds.has('recipient') ? 'new chat' : [], kinds.has('fetch') ? 'new host' : []].flat()
  return [isAlways ? 'always' : parts.join(', '), spec.isSensitive ? 'no tool' : []].flat().join('; ')
}

function keyOf({ spec }: Route, kinds: ReadonlyMap<Leaving, readonly string[]>): string {
  if (['profile', 'contact', 'business'].some((kind) => kinds.has(kind as Leaving))) return 'refused'
  const namesGroup = fieldsOf(spec.body).some(({ names = '' }) =>
    ['group', 'newsletter', 'message'].includes(names),
  )
  if (kinds.has('group')) return namesGroup ? 'its groups' : 'refused'
  return kinds.get('recipient')?.length ? 'its chats' : 'refused'
}
