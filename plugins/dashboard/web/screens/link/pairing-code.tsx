import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, of, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { t } from '../../text.ts'

/** The phone refuses an older code. */
const CODE_MS = 180_000

export function PairingCode({ session }: { session: string }) {
  const phone = useSignal('')
  const error = useSignal('')
  const code = useSignal('')
  const until = useSignal(0)
  const left = useSignal(0)

  useEffect(() => {
    const timer = setInterval(() => {
      left.value = Math.max(0, Math.ceil((until.value - Date.now()) / 1000))
      if (code.value && left.value === 0) {
        code.value = ''
        error.value = t('link.codeOver')
      }
    }, 500)
    return () => clearInterval(timer)
  }, [code, error, left, until])

  async function request(): Promise<void> {
    error.value = ''
    try {
      const { LinkingCode } = await api.post('/session/pair', { Phone: phone.value }, of(session))
      until.value = Date.now() + CODE_MS
      left.value = CODE_MS / 1000
      code.value = LinkingCode
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void request()
      }}
    >
      <Field label={t('link.phone')} hint={t('link.phoneHint')} error={error.value}>
        {(ties) => (
          <input
            {...ties}
            type="tel"
            autocomplete="tel"
            required
            value={phone.value}
            onInput={({ currentTarget }) => (phone.value = currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <Button type="submit" kind="primary">
          {t(code.value ? 'link.newCode' : 'link.getCode')}
        </Button>
      </div>
      <div role="status">
        {code.value ? (
          <>
            <p class="code">
              <Copy text={`${code.value.slice(0, 4)}-${code.value.slice(4)}`} />
            </p>
            <p class="hint">{t('link.typeCode')}</p>
          </>
        ) : null}
      </div>
      {code.value ? <p class="muted">{t('link.codeLeft', { count: left.value })}</p> : null}
    </form>
  )
}
