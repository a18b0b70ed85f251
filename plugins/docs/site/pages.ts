import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { errorRows } from '../../../config/build/documents/plugin-reference.ts'
import { BUILTIN } from '../../../config/builtin.ts'
import { describeGateway } from '../../../config/cli/describe-plugins.ts'
import { loadConfig } from '../../../config/load.ts'
import { ofStatus } from '../error-pages.ts'
import { openApi } from '../openapi.ts'
import { documentPage } from './documents.ts'
import { endpointPage, type Operation } from './endpoint.ts'
import type { FieldSchemas } from './fields.ts'
import type { SitePage } from './page.ts'

interface Item {
  text: string
  link?: string
  collapsed?: boolean
  items?: Item[]
}

/** Guides by reader: hand-written pages first, then the documents that they lead to. */
const GUIDES: readonly [text: string, paths: readonly string[]][] = [
  ['Start', ['guide/quick-start', 'guide/try', 'guide/run', 'guide/link']],
  ['Integrate', ['guide/integrate', 'guide/answers', 'guide/webhooks', 'guide/client']],
  ['Extend', ['guide/extend', 'guide/first-plugin', 'guide/plugin-guide', 'guide/plugin-api']],
  [
    'Operate',
    [
      ...['guide/configuration', 'guide/deploy', 'guide/operate', 'guide/alerts', 'guide/security'],
      'guide/troubleshooting',
    ],
  ],
  ['Scale', ['guide/scale', 'guide/scaling-out', 'reference/benchmarks']],
  ['Move from another gateway', ['guide/move', 'guide/moving-over']],
  [
    'Reference',
    ['reference/endpoints', 'reference/events', 'reference/settings', 'errors/index', 'reference/changelog'],
  ],
  [
    'Project',
    [
      'guide/architecture',
      'decisions/index',
      'reference/contributing',
      'reference/reporting',
      'reference/notice',
    ],
  ],
]

/** The documents of the repository, by the addresses of their pages. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'README.md': 'guide/quick-start',
  'kernel/docs/README.md': 'guide/documents',
  'plugins/README.md': 'plugins/index',
  'CHANGELOG.md': 'reference/changelog',
  'BENCHMARKS.md': 'reference/benchmarks',
  'CONTRIBUTING.md': 'reference/contributing',
  'SECURITY.md': 'reference/reporting',
  'NOTICE.md': 'reference/notice',
  'config/REFERENCE.md': 'reference/settings',
  'plugins/docs/clients/typescript/README.md': 'guide/client',
  'config/deploy/README.md': 'guide/deploy',
  'kernel/docs/ARCHITECTURE.md': 'guide/architecture',
  'kernel/docs/decisions/README.md': 'decisions/index',
  'plugins/webhook/EVENTS.md': 'reference/events',
  'plugins/sandbox/WHATSAPP.md': 'plugins/sandbox-whatsapp',
  'plugins/sandbox/CONFORMANCE.md': 'plugins/sandbox-conformance',
}

/** Every page of the site, its navigation, and the pictures that its pages show. */
export async function sitePages(): Promise<{
  pages: SitePage[]
  sidebar: Record<string, Item[]>
  pictures: Set<string>
}> {
  const paths = documentPaths()
  const pictures = new Set<string>()
  const documents = [...paths]
    .filter(([file]) => file !== 'kernel/docs/errors.md')
    .map(([file, path]) => documentPage({ file, path, paths, pictures }))
  const { groups, endpoints } = await endpointPages()
  const pages = [...documents, endpointList(groups), ...endpoints, ...(await errorPages())]
  const titles = new Map(pages.map(({ path, title }) => [path, title]))
  const item = (path: string): Item[] => {
    const text = titles.get(path)
    return text ? [{ text, link: linkOf(path) }] : []
  }
  const guides = GUIDES.map(([text, items]) => ({ text, items: items.flatMap(item) }))
  const plugins = Object.keys(BUILTIN).map((name) => ({ text: name, link: `/plugins/${name}` }))
  const list = (open: string): Item[] =>
    [...groups].map(([name, ops]) => ({
      text: name,
      // Only the open group has its endpoints: each page contains its whole sidebar.
      ...(name === open
        ? { collapsed: false, items: ops.map((op) => ({ text: op.title, link: linkOf(op.path) })) }
        : { link: linkOf(ops[0]?.path ?? '') }),
    }))
  return {
    pages,
    pictures,
    sidebar: {
      '/': guides,
      '/plugins/': [{ text: 'Plugins', items: plugins }],
      '/reference/endpoints': list(''),
      ...Object.fromEntries([...groups.keys()].map((name) => [`/${name}/`, list(name)])),
    },
  }
}

function linkOf(path: string): string {
  return `/${path.replace(/(^|\/)index$/, '$1')}`
}

function documentPaths(): Map<string, string> {
  const paths = new Map(Object.entries(DOCUMENTS))
  const add = (folder: string, to: string): void => {
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.md')))
      if (!paths.has(`${folder}/${name}`)) paths.set(`${folder}/${name}`, `${to}${name.slice(0, -3)}`)
  }
  add('kernel/docs', 'guide/')
  add('kernel/docs/decisions', 'decisions/')
  add('plugins/docs/site/pages', '')
  add('plugins/docs/site/pages/guide', 'guide/')
  paths.set('kernel/docs/errors.md', 'errors/index')
  for (const name of Object.keys(BUILTIN))
    if (existsSync(`plugins/${name}/README.md`)) paths.set(`plugins/${name}/README.md`, `plugins/${name}`)
  return paths
}

async function endpointPages(): Promise<{ groups: Map<string, SitePage[]>; endpoints: SitePage[] }> {
  // Loaded before, because a configuration gives each only seconds to load, too few on a busy machine.
  for (const load of Object.values(BUILTIN)) await load()
  const on = Object.keys(BUILTIN).map((name) => [name, true])
  const description = describeGateway(await loadConfig({}, Object.fromEntries(on)))
  const document = openApi(description) as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: FieldSchemas }
  }
  const named = new Map(
    description.plugins.flatMap(({ routes }) =>
      routes.map(({ method, path, spec }) => [
        `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
        spec.errors ?? [],
      ]),
    ),
  )
  const groups = new Map<string, SitePage[]>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [verb, operation] of Object.entries(methods)) {
      const method = verb.toUpperCase()
      const errors = named.get(`${method} ${path}`) ?? []
      const page = endpointPage({ method, path, operation, errors, schemas: document.components.schemas })
      const [tag = ''] = operation.tags
      groups.set(tag, [...(groups.get(tag) ?? []), page])
    }
  }
  const sorted = new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { groups: sorted, endpoints: [...sorted.values()].flat() }
}

function endpointList(groups: ReadonlyMap<string, readonly SitePage[]>): SitePage {
  const tables = [...groups].map(([name, pages]) => {
    const rows = pages.map(({ path, title, summary }) => `| [\`${title}\`](/${path}) | ${summary} |`)
    return `## ${name}\n\n[What the plugin does](/plugins/${name})\n\n| endpoint | |\n|---|---|\n${rows.join('\n')}\n`
  })
  return {
    path: 'reference/endpoints',
    title: 'Endpoints',
    summary: 'every endpoint of every plugin',
    text: `# Endpoints\n\nEvery endpoint of every built-in plugin, from the OpenAPI document that the gateway serves at \`/openapi.json\`.\n\n${tables.join('\n')}`,
  }
}

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(file, 'utf8')
}

/** A page for each row of the error table, and their list. */
async function errorPages(): Promise<SitePage[]> {
  const rows = await errorRows()
  const statuses = [...new Set(rows.map(({ row }) => row[0]))].sort((a, b) => a - b)
  const tables = statuses.map((status) => {
    const some = rows.filter(({ row }) => row[0] === status)
    const lines = some.map(({ code, row }) => `| [\`${code}\`](/errors/${code}) | ${row[2]?.meaning ?? ''} |`)
    return `## ${status}\n\n| code | meaning |\n|---|---|\n${lines.join('\n')}\n`
  })
  const list: SitePage = {
    path: 'errors/index',
    title: 'Errors',
    summary: 'every error code by its status',
    text: `# Errors\n\nThe \`errorCode\` of an answer. 4xx means that nothing was sent; after 5xx something may have been. Each answer with an error leads to its page: \`Link: </docs/errors/FIELD_MISSING>; rel="help"\`.\n\n${tables.join('\n')}`,
  }
  return [list, ...rows.map(errorPage)]
}

function errorPage({
  code,
  row: [status, text, help],
  of,
}: Awaited<ReturnType<typeof errorRows>>[number]): SitePage {
  const { meaning = '', cause = '', remedy = '' } = help ?? {}
  const lines = [
    `# ${code}`,
    meaning,
    `| | |\n|---|---|\n| HTTP status | [${status}](/errors/#_${status})${ofStatus(status, code)} |\n| \`errorCode\` | \`${code}\` |\n| Declared by | ${of} |`,
    `\`\`\`text\n${text.replaceAll('%s', '…')}\n\`\`\``,
    '## Cause',
    cause,
    '## What to do',
    remedy,
  ]
  return { path: `errors/${code}`, title: code, summary: meaning, text: lines.join('\n\n') }
}
