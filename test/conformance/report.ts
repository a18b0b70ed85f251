import { readFileSync, writeFileSync } from 'node:fs'
import type { Outcome } from './run.ts'

const FILE = 'plugins/sandbox/CONFORMANCE.md'

export function writeReport(outcomes: readonly Outcome[]): void {
  writeFileSync(FILE, toMarkdown(outcomes))
}

/** The outcomes that the report lists as passed, and that have failed now. */
export function regressions(outcomes: readonly Outcome[], report = readFileSync(FILE, 'utf8')): Outcome[] {
  const listed = passedIn(report)
  return outcomes.filter(({ client, area, result }) => result !== 'passed' && listed.has(`${client} ${area}`))
}

function passedIn(report: string): Set<string> {
  const rows = report
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const [head = []] = rows
  return new Set(
    rows.flatMap(([area, ...cells]) =>
      cells.flatMap((cell, index) => (cell === 'passed' ? [`${head[index + 1]} ${area}`] : [])),
    ),
  )
}

export function toMarkdown(outcomes: readonly Outcome[]): string {
  const clients = [...new Set(outcomes.map(({ client }) => client))]
  const areas = [...new Set(outcomes.map(({ area }) => area))]
  const resultOf = (area: string, client: string): string =>
    outcomes.find((outcome) => outcome.area === area && outcome.client === client)?.result ?? ''
  const rows = areas.map((area) => [area, ...clients.map((client) => resultOf(area, client))])
  const reasons = outcomes.filter(({ reason }) => reason)
  return `# Conformance

Foreign clients against the local network and its phones, written by \`npm run conformance\`. A client gets the addresses and root
certificates of the network and its media host, and no other option. An area passes when both sides have shown its effect,
the client has confirmed all that it got, and nothing was delivered or encrypted a second time. Numbers are those of the
ranked behaviours in WHATSAPP.md. Clients of any version are let in (the fault \`outdated\` with \`Below\` 0). whatsapp-rust runs on
the network as it is; the others with \`lenientTokens\`, \`lenientAddressing\` and \`pushQueue\`, except in the areas of first contacts
and the queue.

${toTable([['Area', ...clients], ['---', ...clients.map(() => '---')], ...rows])}
${reasons.length > 0 ? `\n\n## Reasons\n\n${sentences(reasons).join('\n')}\n` : ''}
## Repeat it

\`npm run conformance\` installs the clients of test/conformance/package.json as locked, starts a network with phones, and
runs each client in a separate process. It ends with 1 when an area that is listed as passed has failed; the list is then
kept. \`npm run conformance -- --client zapo-js\` runs one client, \`--area media\` linking and the areas of that name.
`
}

function toTable(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** A line for each reason, with the clients and areas that have it. What is known of the client stands for what was seen. */
function sentences(outcomes: readonly Outcome[]): string[] {
  const lines = new Map<string, string[]>()
  for (const { client, area, result, reason } of outcomes) {
    const [, known = ''] = /\((a (?:defect|difference) of the client: .*)\)$/s.exec(reason) ?? []
    const key = `${area}: ${result}, ${withoutIds(known || reason).replaceAll('\n', ' ')}`
    lines.set(key, [...(lines.get(key) ?? []), client])
  }
  return [...lines].map(([key, clients]) => `- ${clients.join(', ')}, ${key}`)
}

/** Each run has new accounts and messages: with them the report would change although no result has. */
function withoutIds(reason: string): string {
  return reason.replace(/\b\d{6,}(?=[:@])/g, '…').replace(/\b3EB0[0-9A-F]{12,}\b/g, '3EB0…')
}
