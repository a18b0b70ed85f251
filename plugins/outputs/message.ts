import { eventJson } from 'wamux/messaging'
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
    body: eventJson(line, session, { jid: session.jid, file }),
  }
}

/** Characters that separate or select addresses of a broker must not come from a name. */
function fill(pattern: string, { type, class: ofClass }: LogEvent, { id, name }: Session): string {
  const values: Readonly<Record<string, string>> = { session: name || id, id, type, class: ofClass }
  return pattern.replace(/\{(\w+)\}/g, (all, key: string) =>
    key in values ? String(values[key]).replace(/[^\w-]/g, '_') : all,
  )
}
