import type { LogEvent, Session } from 'wamux/plugin'
import type { OutputMessage } from './contract.ts'

/** @param file link, type and name of the file of a message, see `Attachments.link` */
export function toMessage(
  pattern: string,
  line: LogEvent,
  session: Session,
  file: Record<string, string> = {},
): OutputMessage {
  const { id, type, time } = line
  return {
    id,
    type,
    session: session.id,
    time,
    address: fill(pattern, line, session),
    body: toJson(line, session, file),
  }
}

/** The event's own JSON is inserted as it is stored, without parsing it. */
function toJson(line: LogEvent, { id, name, labels, jid }: Session, file: Record<string, string>): string {
  const own = (line.json ?? JSON.stringify(line.body)).slice(1, -1)
  const rest = JSON.stringify({
    ...file,
    eventId: line.id,
    instanceName: name,
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    userID: id,
    jid,
    timestamp: line.time,
  })
  return `{"type":${JSON.stringify(line.type)},${own === '' ? '' : `${own},`}${rest.slice(1)}`
}

/** Characters that separate or select addresses of a broker must not come from a name. */
function fill(pattern: string, { type, class: ofClass }: LogEvent, { id, name }: Session): string {
  const values: Readonly<Record<string, string>> = { session: name || id, id, type, class: ofClass }
  return pattern.replace(/\{(\w+)\}/g, (all, key: string) =>
    key in values ? String(values[key]).replace(/[^\w-]/g, '_') : all,
  )
}
