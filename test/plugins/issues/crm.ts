import { definePlugin } from '../../../kernel/plugin.ts'
import type { Issue } from '../../../plugins/issues/index.ts'

/** A plugin whose issues a test sets. */
export function crm() {
  const issues: Issue[] = []
  let fault: Error | undefined
  let asked = 0
  /** Called before each answer. */
  let onAsk = (_asked: number): void => undefined
  const plugin = definePlugin({
    name: 'crm',
    version: '1.0.0',
    api: '^1.0.0',
    contributes: {
      issues: () => ({
        async list() {
          asked += 1
          onAsk(asked)
          if (fault) throw fault
          return issues
        },
      }),
    },
  })
  return {
    plugin,
    /** How often it was asked. */
    get asked() {
      return asked
    },
    set(...now: Partial<Issue>[]): void {
      issues.splice(0, issues.length, ...now.map(issueOf))
    },
    fail(error: Error | undefined): void {
      fault = error
    },
    onAsk(listener: (asked: number) => void): void {
      onAsk = listener
    },
  }
}

export type Crm = ReturnType<typeof crm>

function issueOf(given: Partial<Issue>): Issue {
  const text = { reason: 'it does not answer', remedy: 'Start the CRM.', request: 'GET /server/health' }
  return {
    cause: 'crm-down',
    level: 'error',
    subject: 'crm',
    session: '',
    since: Date.UTC(2026, 0, 2),
    ...text,
    ...given,
  }
}
