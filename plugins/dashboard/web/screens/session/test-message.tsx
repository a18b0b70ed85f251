import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, of } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { TextField } from '../../forms/text-field.tsx'
import { follow } from '../../live.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Field } from '../../parts/field.tsx'
import { phoneIn } from '../../parts/person.ts'
import { to } from '../../shell/navigate.ts'
import { t, textFor } from '../../text.ts'
import type { Summary } from '../fleet/summary.ts'

export interface TestMessageProps {
  session: Summary
  isOpen: boolean
  onClose(): void
}

/** Sends a text to the account's own chat or to a number, and shows what becomes of it. */
export function TestMessage({ session: { Id, JID }, isOpen, onClose }: TestMessageProps) {
  const own = phoneIn(JID)
  const isOther = useSignal(false)
  const phone = useSignal('')
  const body = useSignal('')
  const sent = useSignal('')
  useEffect(() => {
    isOther.value = false
    body.value = t('session.testBody')
    sent.value = ''
  }, [isOpen])
  return (
    <FormDialog
      title={t('session.test')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('session.testSend')}
      isReady={body.value.trim() !== '' && (!isOther.value || phone.value.trim() !== '')}
      run={async () => {
        sent.value = ''
        const Phone = isOther.value ? phone.value.trim() : own
        sent.value = (await api.post('/send/text', { Phone, Body: body.value }, of(Id))).Id
      }}
    >
      <fieldset class="stack-tight">
        <legend class="label">{t('session.testTo')}</legend>
        <label>
          <input
            type="radio"
            name="test-to"
            checked={!isOther.value}
            onChange={() => (isOther.value = false)}
          />{' '}
          {t('session.testOwn')} <span class="muted mono">{own}</span>
        </label>
        <label>
          <input
            type="radio"
            name="test-to"
            checked={isOther.value}
            onChange={() => (isOther.value = true)}
          />{' '}
          {t('session.testOther')}
        </label>
      </fieldset>
      {isOther.value ? (
        <TextField
          label={t('session.testPhone')}
          hint={t('session.testPhoneHint')}
          value={phone}
          type="tel"
          maxLength={256}
          placeholder="+49 151 23456789"
        />
      ) : null}
      <Field label={t('session.testText')}>
        {(ties) => (
          <input
            {...ties}
            value={body.value}
            maxLength={1024}
            onInput={({ currentTarget }) => (body.value = currentTarget.value)}
          />
        )}
      </Field>
      {sent.value ? <Progress key={sent.value} session={Id} id={sent.value} /> : null}
    </FormDialog>
  )
}

const TONES: Readonly<Record<string, Tone>> = {
  acked: 'good',
  delivered: 'good',
  read: 'good',
  played: 'good',
  failed: 'bad',
  unknown: 'warn',
}

/** The newest step of a message, live. */
function Progress({ session, id }: { session: string; id: string }) {
  const step = useSignal<{ readonly Step: string; readonly Details?: string } | undefined>(undefined)
  useEffect(() => {
    const read = async (): Promise<void> => {
      const { Steps } = await api.get('/message/timeline', { Id: id }, of(session))
      // That it is in the log says nothing about the message.
      step.value = Steps.findLast(({ Step }) => Step !== 'logged')
    }
    const tryRead = (): void => void read().catch(() => undefined)
    const live = follow(`/events/stream?id=${encodeURIComponent(id)}`, tryRead, { session })
    // The server's acknowledgement is not an event.
    const timer = setInterval(tryRead, 1_000)
    tryRead()
    return () => {
      clearInterval(timer)
      live.close()
    }
  }, [session, id])
  const { Step = 'accepted', Details = '' } = step.value ?? {}
  return (
    <p class="row" role="status">
      <Badge tone={TONES[Step] ?? 'info'}>{textFor('message', `step_${Step}`) ?? Step}</Badge>
      {Details ? <span class="hint-bad">{Details}</span> : null}
      <a href={to(`/messages/${encodeURIComponent(session)}/${encodeURIComponent(id)}`)}>
        {t('message.timeline')}
      </a>
    </p>
  )
}
