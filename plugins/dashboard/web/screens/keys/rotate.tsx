import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { type Grace, GraceChoice } from '../../forms/grace.tsx'
import { t } from '../../text.ts'
import type { Key } from './key.ts'

export interface RotateKeyProps {
  /** undefined while the dialog is closed. */
  of: Key | undefined
  onClose(): void
  onMade(key: string): Promise<void>
}

/** Replaces a key with a new one that has the same rights. */
export function RotateKey({ of: key, onClose, onMade }: RotateKeyProps) {
  const grace = useSignal<Grace>('0')
  useEffect(() => {
    grace.value = '0'
  }, [key])
  return (
    <FormDialog
      title={t('keys.rotate')}
      isOpen={key !== undefined}
      onClose={onClose}
      submit={t('keys.rotateRun')}
      kind="danger"
      run={async () => {
        const body = { GraceSeconds: Number(grace.value) }
        const made = await api.post('/keys/{id}/rotate', body, { params: { id: key?.Id ?? '' } })
        await onMade(made.Key)
      }}
    >
      <p>{t('keys.rotateFollows', { name: key?.Name ?? '' })}</p>
      <GraceChoice value={grace.value} onChange={(chosen) => (grace.value = chosen)} />
    </FormDialog>
  )
}
