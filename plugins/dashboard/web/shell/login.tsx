import { useSignal } from '@preact/signals'
import { logIn, textOf } from '../api.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { t } from '../text.ts'
import { Preferences } from './preferences.tsx'

/** The path in the document. */
const TOKEN_FILE =
  document.querySelector<HTMLMetaElement>('meta[name="wamux-token-file"]')?.content ?? 'admin-token'

/** The token is sent once and not kept in the page. */
export function LoginScreen({ hasEnded, reason }: { hasEnded: boolean; reason: string }) {
  const isBusy = useSignal(false)
  const error = useSignal(reason)

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const field = form.elements.namedItem('token') as HTMLInputElement
    const token = field.value.trim()
    if (!token) return
    isBusy.value = true
    error.value = ''
    try {
      await logIn(token)
      form.reset()
    } catch (failure) {
      error.value = textOf(failure)
      field.select()
    } finally {
      isBusy.value = false
    }
  }

  return (
    <div class="login">
      <main class="card login-card">
        <h1 class="brand">wamux</h1>
        <p class="lead">{t('shell.loginLead')}</p>
        {hasEnded ? <Notice kind="info">{t('shell.loginEnded')}</Notice> : null}
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <label class="field">
            <span class="label">{t('shell.loginToken')}</span>
            <input
              name="token"
              autofocus
              type="password"
              autocomplete="off"
              spellcheck={false}
              required
              aria-describedby="login-help"
              aria-invalid={error.value ? 'true' : undefined}
            />
          </label>
          <p class="hint" id="login-help">
            {t('shell.loginHelp')} <code>{TOKEN_FILE}</code>
          </p>
          {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
          <Button type="submit" kind="primary" isBusy={isBusy.value}>
            {t('shell.logIn')}
          </Button>
        </form>
      </main>
      <Preferences />
    </div>
  )
}
