import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { TextField } from '../../forms/text-field.tsx'
import { phoneIn } from '../../parts/person.ts'
import { t } from '../../text.ts'
import { type Summary, titleOf } from '../fleet/summary.ts'

export interface DeleteProps {
  session: Summary
  isOpen: boolean
  onClose(): void
  onDeleted(warning: string): void
}

/** Deletes a session after its name has been typed. */
export function DeleteSession({ session, isOpen, onClose, onDeleted }: DeleteProps) {
  const { Id, JID, Pending } = session
  const typed = useSignal('')
  const name = titleOf(session)
  useEffect(() => {
    typed.value = ''
  }, [isOpen])
  return (
    <FormDialog
      title={t('session.deleteTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('session.deleteRun')}
      kind="danger"
      isReady={typed.value.trim() === name.trim()}
      run={async () => {
        const { Warning = '' } = await api.post('/session/delete', { Id })
        onDeleted(Warning)
      }}
    >
      <p>{t('session.deleteFollows')}</p>
      <ul class="lost">
        {JID ? <li>{t('session.lostLink', { number: phoneIn(JID) })}</li> : null}
        <li>{t('session.lostEvents')}</li>
        <li>{Pending > 0 ? t('session.lostPending', { count: Pending }) : t('session.lostWebhooks')}</li>
        <li>{t('session.lostKeys')}</li>
      </ul>
      <TextField label={t('session.deleteConfirm', { name })} value={typed} spellcheck={false} />
    </FormDialog>
  )
}
