import { useSignal } from '@preact/signals'
import { api, textOf } from '../../api.ts'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { DataLink } from '../../parts/link.tsx'
import { Notice } from '../../parts/notice.tsx'
import { t } from '../../text.ts'

/** A one-time link with which somebody else links the account, or answers for its passkey. */
export function HandOver({ session }: { session: string }) {
  const made = useSignal<{ Url: string; ExpiresAt: string } | undefined>(undefined)
  const error = useSignal('')
  async function create(): Promise<void> {
    try {
      made.value = await api.post('/session/{id}/link-page', {}, { params: { id: session } })
      error.value = ''
    } catch (failure) {
      error.value = textOf(failure)
    }
  }
  async function revoke(): Promise<void> {
    try {
      await api.delete('/session/{id}/link-page', undefined, { params: { id: session } })
      made.value = undefined
    } catch (failure) {
      error.value = textOf(failure)
    }
  }
  return (
    <section class="card stack" aria-labelledby="hand-over">
      <h2 id="hand-over">{t('link.handOver')}</h2>
      <p class="muted">{t('link.handOverLead')}</p>
      {made.value ? (
        <>
          <Copy text={made.value.Url} isBlock />
          <p class="muted">
            {t('link.expires')} <Ago at={made.value.ExpiresAt} />
          </p>
        </>
      ) : null}
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
      <div class="row">
        <Button onPress={create}>{t('link.createLink')}</Button>
        {made.value ? <DataLink href={made.value.Url}>{t('link.openLink')}</DataLink> : null}
        {made.value ? <Button onPress={revoke}>{t('link.revokeLink')}</Button> : null}
      </div>
    </section>
  )
}
