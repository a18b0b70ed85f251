import type { LogEvent } from 'wamux/plugin'

/** The subjects of groups in an event, by JID. Messages name people, and groups by their JID only. */
export function namesIn({ type, body }: Pick<LogEvent, 'type' | 'body'>): [jid: string, name: string][] {
  const event = body['event'] as Record<string, unknown> | undefined
  if (type === 'JoinedGroup') return named(event?.['JID'], event?.['Name'])
  if (type === 'GroupInfo') return named(event?.['JID'], (event?.['Name'] as { Name?: string } | null)?.Name)
  if (type !== 'HistorySync') return []
  const { conversations = [] } = (event?.['Data'] ?? {}) as {
    conversations?: { ID: string; name?: string }[]
  }
  return conversations.flatMap(({ ID, name }) => (ID.endsWith('@g.us') ? named(ID, name) : []))
}

function named(jid: unknown, name: unknown): [string, string][] {
  return typeof jid === 'string' && typeof name === 'string' && name ? [[jid, name]] : []
}
