import type { Route } from '../../../kernel/plugin.ts'

/** What becomes of a request as far as its credentials decide: let through, or refused. */
export type Outcome = 'yes' | '401' | '403' | 'own chats'

/** By the words of the error, which the dialect of the Cloud API has too. */
const REFUSALS: readonly [words: RegExp, outcome: Outcome][] = [
  [/^invalid (admin )?token/, '401'],
  [/^These credentials do not have the scope/, '403'],
  [/^This key is (not for the session|for several sessions)/, '403'],
  [/^This key (may not address|is limited to certain chats)/, 'own chats'],
]

export function outcomeOf(text: string): Outcome {
  const words = errorIn(text)
  return REFUSALS.find(([refusal]) => refusal.test(words))?.[1] ?? 'yes'
}

/** The words of the error in an answer; '' where it is none. */
export function errorIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: string | { error_data?: { details?: string } } }
    return typeof error === 'string' ? error : (error?.error_data?.details ?? '')
  } catch {
    return ''
  }
}

/** The columns of the table: what a route asks for. */
export const COLUMNS = [
  ...(['public', 'known', 'read', 'send', 'manage'] as const),
  ...(['token alone', 'owner', 'admin', 'admin alone'] as const),
]
export type Column = (typeof COLUMNS)[number]

export function columnOf({ spec }: Pick<Route, 'spec'>): Column {
  const { access = 'login', scope = 'owner' } = spec
  if (access === 'public' || access === 'known') return access
  if (access === 'admin') return scope === 'owner' ? 'admin alone' : 'admin'
  if (access === 'owner' || scope === 'admin') return 'owner'
  return scope === 'owner' ? 'token alone' : scope
}
