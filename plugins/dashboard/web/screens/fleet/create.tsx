import { useSignal } from '@preact/signals'
import { api, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { go } from '../../shell/navigate.ts'
import { t } from '../../text.ts'

/** Creates a session and continues with linking it. Its token is not shown here; the operator can replace it later. */
export function CreateSession({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const name = useSignal('')
  const error = useSignal('')

  async function create(): Promise<void> {
    try {
      const { Id } = await api.post('/session/init', { Name: name.value.trim() })
      onClose()
      go(`/link/${encodeURIComponent(Id)}`)
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  return (
    <Dialog
      title={t('fleet.create')}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <Button kind="primary" onPress={create}>
          {t('fleet.createAndLink')}
        </Button>
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <Field label={t('fleet.name')} hint={t('fleet.nameHint')}>
          {(ties) => (
            <input
              {...ties}
              value={name.value}
              maxLength={256}
              autocomplete="off"
              onInput={({ currentTarget }) => (name.value = currentTarget.value)}
            />
          )}
        </Field>
      </form>
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
    </Dialog>
  )
}
