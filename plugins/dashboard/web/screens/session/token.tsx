import { useSignal } from '@preact/signals'
import { api, logIn, login, of } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { type Grace, GraceChoice } from '../../forms/grace.tsx'
import { ShownOnce } from '../../forms/shown-once.tsx'
import { t, timeOf } from '../../text.ts'
import type { Summary } from '../fleet/summary.ts'

export interface RotateProps {
  session: Summary
  isOpen: boolean
  onClose(): void
  onRotated(): Promise<void>
}

interface Rotated {
  readonly Token: string
  readonly OldTokenUntil: string
  readonly RevokedKeys: number
}

/** Replaces the token of a session; the new one is shown once. */
export function RotateToken({ session: { Id }, isOpen, onClose, onRotated }: RotateProps) {
  const grace = useSignal<Grace>('0')
  const isRevoking = useSignal(false)
  const rotated = useSignal<Rotated | undefined>(undefined)

  async function rotate(): Promise<void> {
    const body = { GraceSeconds: Number(grace.value), RevokeKeys: isRevoking.value }
    const answer = await api.post('/session/token', body, of(Id))
    // A login by the old token ends with it.
    if (login.value?.Kind === 'session') await logIn(answer.Token)
    rotated.value = answer
    onClose()
    await onRotated()
  }

  const { value } = rotated
  return (
    <>
      <FormDialog
        title={t('session.rotate')}
        isOpen={isOpen}
        onClose={onClose}
        submit={t('session.rotateRun')}
        kind="danger"
        run={rotate}
      >
        <p>{t('session.rotateFollows')}</p>
        <GraceChoice value={grace.value} onChange={(chosen) => (grace.value = chosen)} />
        <label>
          <input
            type="checkbox"
            checked={isRevoking.value}
            onChange={({ currentTarget }) => (isRevoking.value = currentTarget.checked)}
          />{' '}
          {t('session.rotateKeys')}
        </label>
      </FormDialog>
      <ShownOnce
        title={t('session.rotated')}
        secret={value?.Token ?? ''}
        onClose={() => (rotated.value = undefined)}
      >
        <p>
          {value?.OldTokenUntil
            ? t('session.oldTokenUntil', { until: timeOf(value.OldTokenUntil) })
            : t('session.oldTokenEnded')}
          {value?.RevokedKeys ? ` ${t('session.revokedKeys', { count: value.RevokedKeys })}` : ''}
        </p>
      </ShownOnce>
    </>
  )
}
