import type { Migration } from '../kernel/types/storage.ts'
import * as sessions from './001_sessions.ts'
import * as events from './002_events.ts'
import * as audit from './003_audit.ts'
import * as sessionTokens from './004_session_tokens.ts'
import * as lanes from './006_lanes.ts'
import * as sessionEnded from './007_session_ended.ts'

/** The kernel's own tables. Plugins bring theirs. */
export const migrations: Record<string, Migration> = {
  '001_sessions': sessions,
  '002_events': events,
  '003_audit': audit,
  '004_session_tokens': sessionTokens,
  '006_lanes': lanes,
  '007_session_ended': sessionEnded,
}
