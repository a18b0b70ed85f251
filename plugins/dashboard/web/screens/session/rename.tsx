import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, of } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { TextField } from '../../forms/text-field.tsx'
import { t } from '../../text.ts'
import type { Summary } from '../fleet/summary.ts'

export interface ChangeProps {
  session: Summary
  isOpen: boolean
  onClose(): void
  onSaved(): Promise<void>
}

export function RenameSession({ session: { Id, Name }, isOpen, onClose, onSaved }: ChangeProps) {
  const name = useSignal(Name)
  useEffect(() => {
    name.value = Name
  }, [isOpen])
  return (
    <FormDialog
      title={t('session.rename')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('settings.save')}
      isReady={name.value.trim() !== ''}
      run={async () => {
        await api.post('/session/update', { Name: name.value.trim() }, of(Id))
        await onSaved()
      }}
    >
      <TextField label={t('session.name')} hint={t('session.renameHint')} value={name} maxLength={256} />
    </FormDialog>
  )
}
