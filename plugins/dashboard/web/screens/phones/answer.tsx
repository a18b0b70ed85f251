import { useSignal } from '@preact/signals'
import { api, of } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import type { Model } from './model.ts'

/** Sends a text as a session, through the public interface. */
export function Answer({ model, session, jid }: { model: Model; session: string; jid: string }) {
  const sent = useSignal('')
  const phones = (model.phones.value ?? []).filter(
    ({ Phone }) => !jid.startsWith(`${Phone}@`) && !jid.startsWith(`${Phone}:`),
  )

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const Phone = (form.elements.namedItem('to') as HTMLSelectElement).value
    const field = form.elements.namedItem('text') as HTMLInputElement
    if (!field.value || !Phone) return
    const made = await model.attempt(() =>
      api.call<{ Id: string }>('post', '/send/text', { Phone, Body: field.value }, of(session)),
    )
    if (!made) return
    sent.value = made.Id
    field.value = ''
  }

  return (
    <form class="row" onSubmit={(event) => void send(event)}>
      <label class="row">
        {t('phones.answerTo')}
        <select name="to">
          {phones.slice(0, 200).map(({ Phone, Name }) => (
            <option key={Phone} value={Phone}>
              {Name}
            </option>
          ))}
        </select>
      </label>
      <label class="phones-answer">
        <span class="sr-only">{t('phones.answerText')}</span>
        <input class="phones-wide" name="text" placeholder={t('phones.placeholder')} autocomplete="off" />
      </label>
      <Button type="submit">{t('phones.answer')}</Button>
      {sent.value ? (
        <a href={to(`/messages/${encodeURIComponent(session)}/${encodeURIComponent(sent.value)}`)}>
          {t('phones.timeline')}
        </a>
      ) : null}
    </form>
  )
}
