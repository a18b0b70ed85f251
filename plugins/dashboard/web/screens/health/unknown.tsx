import { Notice } from '../../parts/notice.tsx'
import { t } from '../../text.ts'

/** Names the nodes whose part is missing. */
export function Unknown({ nodes }: { nodes: readonly string[] }) {
  if (nodes.length === 0) return null
  return <Notice kind="warn">{t('health.unanswered', { nodes: nodes.join(', ') })}</Notice>
}
