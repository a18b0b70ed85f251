import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { LiveState } from '../../parts/live-state.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { query, setQuery } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { Camera } from './camera.tsx'
import { Faults } from './faults.tsx'
import { createModel, type Model, setUp } from './model.ts'
import { Phone } from './phone.tsx'
import './phones.css'
import { api } from '../../api.ts'
import { Stanzas } from './stanzas.tsx'
import type { PhoneView } from './types.ts'

const MAX_WINDOWS = 4
/** Pause in which the code can be seen before it is scanned. */
const LOOK_MS = 900

export default function Phones() {
  const model = useMemo(createModel, [])
  const qr = useSignal('')
  useEffect(() => () => model.close(), [model])

  const phones = model.phones.value
  const shown = windowsOf(phones ?? [])
  const isReady = (phones ?? []).length > 1 && (phones ?? []).some(({ Companions }) => Companions.length > 0)

  async function begin(): Promise<void> {
    await model.attempt(() =>
      setUp(model, async (code) => {
        qr.value = code
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }),
    )
    qr.value = ''
    await model.readSessions()
  }

  return (
    <Page title={t('phones.title')} lead={t('phones.lead')} actions={<LiveState live={model.live} />}>
      <div class="stack">
        {model.error.value ? <Notice kind="bad">{model.error.value}</Notice> : null}
        {phones === undefined ? <p class="loading">{t('shell.loading')}</p> : null}
        {phones && !isReady ? (
          <Empty
            action={
              <Button kind="primary" onPress={begin}>
                {t('phones.setUp')}
              </Button>
            }
          >
            {t('phones.empty')}
          </Empty>
        ) : null}
        {qr.value ? (
          <figure class="card phones-look">
            <img class="phones-qr" src={qr.value} alt={t('phones.qr')} width="192" height="192" />
            <figcaption>{t('phones.scanning')}</figcaption>
          </figure>
        ) : null}
        <div class="phones-grid">
          <div class="stack">
            {shown.length > 0 ? (
              <section class="phones-windows" aria-label={t('phones.title')}>
                {shown.map((phone) => (
                  <Phone
                    key={phone.Phone}
                    model={model}
                    phone={phone}
                    onClose={shown.length > 1 ? () => show(shown.filter((one) => one !== phone)) : undefined}
                  />
                ))}
              </section>
            ) : null}
            <Windows model={model} shown={shown} />
            <Camera model={model} phones={shown} />
            <Faults model={model} />
          </div>
          <Stanzas model={model} />
        </div>
      </div>
    </Page>
  )
}

/** The address lists the phones with a window: `?phones=999123,999456`. */
function windowsOf(phones: readonly PhoneView[]): PhoneView[] {
  const wanted = (query.value.get('phones') ?? '').split(',').filter(Boolean)
  const named = phones.filter(({ Phone }) => wanted.includes(Phone))
  return named.length > 0 ? named.slice(0, MAX_WINDOWS) : phones.slice(0, 2)
}

function show(phones: readonly PhoneView[]): void {
  setQuery({ phones: phones.map(({ Phone }) => Phone).join(',') })
}

function Windows({ model, shown }: { model: Model; shown: readonly PhoneView[] }) {
  const others = (model.phones.value ?? []).filter((phone) => !shown.includes(phone))
  return (
    <div class="row">
      {others.length > 0 && shown.length < MAX_WINDOWS ? (
        <label class="row">
          {t('phones.open')}
          <select
            value=""
            onChange={({ currentTarget }) => {
              const phone = others.find(({ Phone }) => Phone === currentTarget.value)
              if (phone) show([...shown, phone])
            }}
          >
            <option value="">{t('phones.choose')}</option>
            {others.slice(0, 200).map(({ Phone, Name }) => (
              <option key={Phone} value={Phone}>
                {Name} · {Phone}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <NewPhone model={model} />
    </div>
  )
}

function NewPhone({ model }: { model: Model }) {
  async function create(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const field = form.elements.namedItem('name') as HTMLInputElement
    const made = await model.attempt(() => api.call('post', '/sandbox/phones', { Name: field.value.trim() }))
    if (made) form.reset()
  }
  return (
    <form class="row" onSubmit={(event) => void create(event)}>
      <label class="row">
        {t('phones.newName')}
        <input name="name" maxLength={80} required />
      </label>
      <Button type="submit">{t('phones.create')}</Button>
    </form>
  )
}
