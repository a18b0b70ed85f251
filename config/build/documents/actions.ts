import { actions } from './action-rows.ts'
import { table } from './schema-words.ts'

const HEADS = ['Request', 'Effect', 'Refused', 'Event', 'Limits']

/** What each action beyond the specified interface does on WhatsApp. */
export async function actionTable(): Promise<string> {
  const parts = actions.map(({ heading, actions: rows }) => {
    const cells = rows.map(({ endpoint, effect, refused, event, limits }) => [
      `\`${endpoint}\``,
      effect,
      refused,
      event,
      limits,
    ])
    return `## ${heading}\n\n${table(HEADS, cells)}\n`
  })
  return `# Actions beyond the interface

Made by \`npm run docs\` from config/build/documents/action-rows.ts. Beside the 118 endpoints of the specified interface wamux has these
actions on WhatsApp. Each is held by a test that sees its effect on the other phone or on the account's own, and by one that is
refused and changes nothing; \`npm test\` counts both. Refusals that all requests have (401, 403 for a scope or a chat that the
key does not have, 404 or 502 without a link, 429) are not repeated. Limits are set by WhatsApp's apps and by its network, as
far as they are known: WhatsApp changes them without notice.

${parts.join('\n')}`
}
