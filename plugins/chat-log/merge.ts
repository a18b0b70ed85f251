import type { LogEvent } from 'wamux/plugin'
import { type Entry, entryOf, isAllowed, isLate, isSameAuthor } from './entry.ts'
import type { Shown } from './view.ts'

/**
 * Applies changes to a message, leaving out those that their authors may not make, or make too late.
 *
 * @param changes oldest first.
 * @returns undefined for an undecryptable message that was delivered again later.
 */
export function merge(
  line: LogEvent,
  { kind, message }: Entry,
  changes: readonly LogEvent[],
): Shown | undefined {
  let [text, edited, deleted] = [message.text, '', '']
  const reactions = new Map<string, Shown['reactions'][number]>()
  for (const change of changes) {
    const entry = entryOf(change)
    if (!entry || !isAllowed(entry, change, message) || isLate(entry, change, message)) continue
    const { message: changed } = entry
    if (entry.kind === 'message' && kind === 'undecryptable' && isSameAuthor(changed, message))
      return undefined
    if (entry.kind === 'edit') [text, edited] = [changed.text, change.time]
    if (entry.kind === 'revoke') deleted = change.time
    if (entry.kind !== 'reaction') continue
    const { isFromMe, from, reaction } = changed
    const person = isFromMe ? 'me' : from.lid || from.jid
    reactions.delete(person)
    if (reaction?.emoji) reactions.set(person, { Emoji: reaction.emoji, From: from, IsFromMe: isFromMe })
  }
  const shown = edited ? { ...message, text, isEdited: true } : message
  return { line, message: shown, edited, deleted, reactions: [...reactions.values()] }
}
