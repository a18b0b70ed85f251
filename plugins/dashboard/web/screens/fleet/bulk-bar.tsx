import { useSignal } from '@preact/signals'
import { may } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import type { BulkAction, Input } from './bulk.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { Summary } from './summary.ts'
import './bulk.css'

export interface BulkBarProps {
  sessions: readonly Summary[]
  /** Another one still runs. */
  isBusy: boolean
  onRun(action: BulkAction, sessions: readonly Summary[], input: Input): void
  onClear(): void
}

/** What can be done to the chosen sessions. */
export function BulkBar({ sessions, isBusy, onRun, onClear }: BulkBarProps) {
  /** As they were chosen when the question was asked: what changes meanwhile does not change it. */
  const asked = useSignal<{ action: BulkAction; sessions: readonly Summary[] } | undefined>(undefined)
  const isAdmin = may('admin')
  const actions: BulkAction[] = ['restart', 'stop', 'label', 'webhook', 'link']
  return (
    <>
      {sessions.length > 0 ? (
        <section class="bulk" aria-label={t('fleet.selected', { count: sessions.length })}>
          <strong role="status">{t('fleet.selected', { count: sessions.length })}</strong>
          {(isAdmin ? [...actions, 'delete' as const] : actions).map((action) => (
            <Button
              key={action}
              kind={action === 'delete' ? 'danger' : 'plain'}
              isDisabled={isBusy}
              onPress={() => (asked.value = { action, sessions })}
            >
              {t(`fleet.action_${action}`)}
            </Button>
          ))}
          <Button kind="quiet" label={t('fleet.clear')} onPress={onClear}>
            ✕
          </Button>
        </section>
      ) : null}
      <BulkDialog
        asked={asked.value}
        onClose={() => (asked.value = undefined)}
        onRun={(input) => {
          if (asked.value) onRun(asked.value.action, asked.value.sessions, input)
          asked.value = undefined
        }}
      />
    </>
  )
}
