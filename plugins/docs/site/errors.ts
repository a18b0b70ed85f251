import { errorRows } from '../../../config/build/documents/plugin-reference.ts'
import { ofStatus } from '../error-pages.ts'
import type { Page } from './page.ts'

/** A page for each row of the error table, and their list. */
export async function errorPages(): Promise<Page[]> {
  const rows = await errorRows()
  const statuses = [...new Set(rows.map(({ row }) => row[0]))].sort((a, b) => a - b)
  const tables = statuses.map((status) => {
    const some = rows.filter(({ row }) => row[0] === status)
    const lines = some.map(({ code, row }) => `| [\`${code}\`](/errors/${code}) | ${row[2]?.meaning ?? ''} |`)
    return `## ${status}\n\n| code | meaning |\n|---|---|\n${lines.join('\n')}\n`
  })
  const list: Page = {
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
}: Awaited<ReturnType<typeof errorRows>>[number]): Page {
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
