import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, of } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { Answer } from './answer.tsx'
import type { Model } from './model.ts'
import type { PhoneView } from './types.ts'

/** A code is replaced every 20 seconds; the state of a session changes at any time. */
const LOOK_MS = 1_500

interface Passkey {
  State: string
  Challenge?: Record<string, unknown>
  Code?: string
}

/** A session of the gateway, its code, and the phones that can scan it. */
export function Camera({ model, phones }: { model: Model; phones: readonly PhoneView[] }) {
  const chosen = useSignal('')
  const qr = useSignal('')
  const passkey = useSignal<Passkey | undefined>(undefined)
  const sessions = model.sessions.value
  const session = sessions.find(({ Id }) => Id === chosen.value) ?? sessions[0]
  const id = session?.Id ?? ''

  async function look(): Promise<void> {
    if (!id) return
    await model.readSessions()
    const now = model.sessions.value.find(({ Id }) => Id === id)?.State ?? ''
    const isShown = now === 'scan' || now === 'code'
    const picture = isShown
      ? await api.call<{ QRCode: string }>('get', '/session/qr', undefined, of(id))
      : undefined
    const asked = now.startsWith('passkey')
      ? await api.call<Passkey>('get', '/session/passkey', undefined, of(id))
      : undefined
    qr.value = picture?.QRCode ?? ''
    passkey.value = asked
  }

  useEffect(() => {
    let isCurrent = true
    let timer = 0
    const again = async (): Promise<void> => {
      await look().catch(() => undefined)
      if (isCurrent) timer = window.setTimeout(() => void again(), LOOK_MS)
    }
    qr.value = ''
    passkey.value = undefined
    void again()
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [id])

  async function create(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const field = form.elements.namedItem('name') as HTMLInputElement
    const made = await model.attempt(() =>
      api.call<{ Id: string }>('post', '/session/init', { Name: field.value.trim() }),
    )
    if (!made) return
    form.reset()
    await model.attempt(() => api.call('post', '/session/connect', { Immediate: false }, of(made.Id)))
    await model.attempt(model.readSessions)
    chosen.value = made.Id
  }

  const act = (work: () => Promise<unknown>) => async () => {
    await model.attempt(work)
    await look().catch(() => undefined)
  }
  const connect = act(() => api.call('post', '/session/connect', { Immediate: false }, of(id)))
  const scan = (phone: PhoneView) =>
    act(() => api.call('post', `/sandbox/phones/${phone.Phone}/scan`, { QRCode: qr.value }))
  const pair = (phone: PhoneView) =>
    act(async () => {
      const { LinkingCode } = await api.call<{ LinkingCode: string }>(
        'post',
        '/session/pair',
        { Phone: phone.Phone },
        of(id),
      )
      await api.call('post', `/sandbox/phones/${phone.Phone}/pair`, { Code: LinkingCode })
    })
  const sign = (phone: PhoneView) =>
    act(async () => {
      const { Credential } = await api.call<{ Credential: object }>(
        'post',
        `/sandbox/phones/${phone.Phone}/passkey/sign`,
        { Challenge: passkey.value?.Challenge },
      )
      await api.call('post', '/session/passkey', Credential, of(id))
    })
  const compare = (phone: PhoneView) =>
    act(async () => {
      const Code = passkey.value?.Code
      await api.call('post', '/session/passkey/confirm', {}, of(id))
      await api.call('post', `/sandbox/phones/${phone.Phone}/passkey/compare`, { Code })
    })

  const state = session?.State ?? ''
  const canLink = ['offline', 'logged-out', 'failed', 'replaced', 'waiting'].includes(state)
  return (
    <section class="card stack" aria-labelledby="camera-title">
      <div class="row">
        <h2 id="camera-title">{t('phones.gateway')}</h2>
        {session ? (
          <label class="row">
            <span class="sr-only">{t('phones.session')}</span>
            <select
              value={id}
              onChange={({ currentTarget }) => {
                chosen.value = currentTarget.value
              }}
            >
              {sessions.slice(0, 200).map(({ Id, Name }) => (
                <option key={Id} value={Id}>
                  {Name || Id}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {session ? (
          <span role="status">
            <Badge tone={state === 'open' ? 'good' : 'info'}>{state}</Badge>
          </span>
        ) : null}
        {session ? <a href={to(`/sessions/${encodeURIComponent(id)}`)}>{t('phones.details')}</a> : null}
        <span class="bar-space" />
        <form class="row" onSubmit={(event) => void create(event)}>
          <label class="row">
            {t('phones.newSession')}
            <input name="name" maxLength={80} size={12} required />
          </label>
          <Button type="submit">{t('phones.create')}</Button>
        </form>
      </div>
      {session && canLink ? (
        <p>
          <Button onPress={connect}>{t('phones.connect')}</Button>
        </p>
      ) : null}
      {qr.value ? (
        <div class="phones-link">
          <img class="phones-qr" src={qr.value} alt={t('phones.qr')} width="192" height="192" />
          <ul class="phones-scan">
            {phones.map((phone) => (
              <li key={phone.Phone} class="row">
                <Button kind="primary" onPress={scan(phone)}>
                  {t('phones.scan', { name: phone.Name })}
                </Button>
                <Button onPress={pair(phone)}>{t('phones.pair', { name: phone.Name })}</Button>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {passkey.value?.State === 'challenge' ? (
        <p class="row">
          {t('phones.passkeyAsked')}
          {phones.map((phone) => (
            <Button key={phone.Phone} kind="primary" onPress={sign(phone)}>
              {t('phones.sign', { name: phone.Name })}
            </Button>
          ))}
        </p>
      ) : null}
      {passkey.value?.State === 'confirm' ? (
        <p class="row">
          {t('phones.passkeyShown')} <code>{passkey.value.Code}</code>
          {phones
            .filter(({ PasskeyCode }) => PasskeyCode)
            .map((phone) => (
              <Button key={phone.Phone} kind="primary" onPress={compare(phone)}>
                {t('phones.compare', { name: phone.Name })}
              </Button>
            ))}
        </p>
      ) : null}
      {state === 'open' ? <Answer key={id} model={model} session={id} jid={session?.JID ?? ''} /> : null}
    </section>
  )
}
