import { useSignal } from '@preact/signals'
import { api, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { t } from '../../text.ts'

const SCOPES = ['read', 'send', 'manage', 'admin'] as const
type Scope = (typeof SCOPES)[number]

interface CreateKeyProps {
  isOpen: boolean
  onClose(): void
  onMade(key: string): Promise<void>
}

export function CreateKey({ isOpen, onClose, onMade }: CreateKeyProps) {
  const name = useSignal('')
  const session = useSignal('')
  const scopes = useSignal<readonly Scope[]>(['read'])
  const error = useSignal('')

  async function create(): Promise<void> {
    const sessions = session.value.trim()
    const choice = sessions
      ? { Sessions: sessions.split(',').map((one) => one.trim()) }
      : { AllSessions: true }
    try {
      const body = { Name: name.value.trim(), Scopes: [...scopes.value], ...choice }
      const { Key } = await api.post('/keys', body)
      name.value = ''
      error.value = ''
      await onMade(Key)
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  return (
    <Dialog
      title={t('keys.create')}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <Button kind="primary" onPress={create}>
          {t('keys.create')}
        </Button>
      }
    >
      <Field label={t('keys.name')} hint={t('keys.nameHint')}>
        {(ties) => (
          <input
            {...ties}
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
        )}
      </Field>
      <fieldset class="stack">
        <legend class="label">{t('keys.scopes')}</legend>
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={scopes.value.includes(scope)}
              onChange={({ currentTarget }) => {
                const others = scopes.value.filter((one) => one !== scope)
                scopes.value = currentTarget.checked ? [...others, scope] : others
              }}
            />{' '}
            <code>{scope}</code> {t(`keys.scope_${scope}`)}
          </label>
        ))}
      </fieldset>
      <Field label={t('keys.sessions')} hint={t('keys.sessionsHint')}>
        {(ties) => (
          <input
            {...ties}
            value={session.value}
            onInput={({ currentTarget }) => (session.value = currentTarget.value)}
          />
        )}
      </Field>
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
    </Dialog>
  )
}
