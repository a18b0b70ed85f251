import { useSignal } from '@preact/signals'
import { api } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { TextField } from '../../forms/text-field.tsx'
import { go } from '../../shell/navigate.ts'
import { t } from '../../text.ts'

/** Creates a session and continues with linking it. Its token is not shown here; the operator can replace it later. */
export function CreateSession({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const name = useSignal('')
  return (
    <FormDialog
      title={t('fleet.create')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('fleet.createAndLink')}
      run={async () => {
        const { Id } = await api.post('/session/init', { Name: name.value.trim() })
        onClose()
        go(`/link/${encodeURIComponent(Id)}`)
      }}
    >
      <TextField label={t('fleet.name')} hint={t('fleet.nameHint')} value={name} maxLength={256} />
    </FormDialog>
  )
}
