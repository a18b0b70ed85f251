import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { TextField } from '../../forms/text-field.tsx'
import { t } from '../../text.ts'
import type { BulkAction, Input } from './bulk.ts'
import { type Summary, titleOf } from './summary.ts'

export interface BulkDialogProps {
  /** undefined while nothing is asked. */
  asked: { readonly action: BulkAction; readonly sessions: readonly Summary[] } | undefined
  onClose(): void
  onRun(input: Input): void
}

const NAMED = 4

/** Says what follows for how many sessions, and asks for what the action needs; deleting needs their number typed. */
export function BulkDialog({ asked, onClose, onRun }: BulkDialogProps) {
  const name = useSignal('')
  const value = useSignal('')
  useEffect(() => {
    name.value = ''
    value.value = ''
  }, [asked])
  const { action = 'restart', sessions = [] } = asked ?? {}
  const count = sessions.length
  const isReady = {
    restart: true,
    stop: true,
    link: true,
    label: name.value.trim() !== '',
    webhook: URL.canParse(value.value.trim()),
    delete: value.value.trim() === String(count),
  }[action]

  return (
    <FormDialog
      title={t(`fleet.bulk_${action}`, { count })}
      isOpen={asked !== undefined}
      onClose={onClose}
      submit={t(`fleet.bulk_${action}`, { count })}
      kind={action === 'delete' ? 'danger' : 'primary'}
      isReady={isReady}
      run={async () => onRun({ name: name.value.trim(), value: value.value.trim() })}
    >
      <p class="bulk-names">{namesOf(sessions)}</p>
      <p>{t(`fleet.follows_${action}`)}</p>
      {action === 'label' ? (
        <TextField label={t('fleet.labelName')} hint={t('fleet.labelNameHint')} value={name} maxLength={64} />
      ) : null}
      {action === 'label' || action === 'webhook' || action === 'delete' ? (
        <TextField
          label={
            action === 'label'
              ? t('fleet.labelValue')
              : action === 'webhook'
                ? t('deliveries.url')
                : t('fleet.typeCount', { number: String(count) })
          }
          hint={action === 'label' ? t('fleet.labelValueHint') : undefined}
          value={value}
          inputMode={action === 'webhook' ? 'url' : action === 'delete' ? 'numeric' : 'text'}
          placeholder={action === 'webhook' ? 'https://example.com/hook' : undefined}
          maxLength={action === 'label' ? 256 : 2048}
        />
      ) : null}
    </FormDialog>
  )
}

function namesOf(sessions: readonly Summary[]): string {
  const names = sessions.slice(0, NAMED).map(titleOf).join(', ')
  const count = sessions.length - NAMED
  return count > 0 ? t('attention.others', { names, count }) : names
}
