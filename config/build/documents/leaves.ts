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
  const rows = new Map<string, string[]>()
  for (const route of plugins.flatMap(({ routes }) => routes)) {
    const kinds = leavingOf(route)
    if (kinds.size === 0) continue
    const cells = [lets(kinds), askedOf(route, kinds), keyOf(route, kinds)]
    const key = JSON.stringify(cells)
    const [requests] = rows.get(key) ?? []
    const request = `\`${route.method} ${route.path}\``
    rows.set(key, [requests ? `${requests}, ${request}` : request, ...cells])
  }
  return `# What leaves the account

Made by \`npm run docs\` from the routes. Each route and field declares what it lets out; a route that changes something and
declares nothing counts as one that lets out everything. Four things use it:

- **Confirmation** ([confirmation](../../plugins/confirmation/README.md), [mcp](../../plugins/mcp/README.md)): with
  \`X-Unconfirmed: none\` (\`confirmSends: always\`) every call below is refused until a person has confirmed it. The column
  "Asked" is for \`known-chats\` (\`newChats\`, the default of assistants): "new chat" for a recipient to which the account has not
  written, "new host" for an address outside \`knownHosts\`. Calls that can't be undone are always asked about.
  "No tool": not offered to assistants.
- **Keys limited to chats** ([keys](../../plugins/keys/README.md)) may send to their chats, also files by address, and change
  their groups.
- **The audit log** ([audit](../../plugins/audit/README.md)) names the kinds, and the host of an address. Messages and their files are in
  the event log instead.
- **\`x-leaves\`** in \`/openapi.json\`, for clients.

| kind | meaning |
|---|---|
${KINDS.map((kind) => `| \`${kind}\` | ${LEAVING[kind]} |`).join('\n')}

A kind without a field is decided by the route itself. A message leaves with all fields of its send; only those that decide
who gets it are listed. Deliveries to a webhook count where its address is set.

${table(HEADS, [...rows.values()])}
`
}

const HEADS = ['Request', 'Lets out', 'Asked', 'Key limited to chats']

function lets(kinds: ReadonlyMap<Leaving, readonly string[]>): string {
  return [...kinds]
    .map(([kind, fields]) => [`\`${kind}\``, fields.map((field) => `\`${field}\``).join(', ')])
    .map(([kind, fields]) => (fields ? `${kind}: ${fields}` : kind))
    .join('; ')
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
