import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import type { Model } from './model.ts'
import { samplePicture, sampleVoice } from './samples.ts'
import type { PhoneView } from './types.ts'

export interface ComposerProps {
  model: Model
  phone: PhoneView
  chat: string
  /** Name of the recipient. */
  peer: string
}

/** Interval between two typing indicators. */
const TYPING_MS = 4_000
const MAX_FILE_BYTES = 8 * 1024 * 1024

export function Composer({ model, phone, chat, peer }: ComposerProps) {
  const isFirst = model.chat(phone.Phone, chat).value?.length === 0
  const draft = useSignal<string | undefined>(undefined)
  const file = useRef<HTMLInputElement>(null)
  const typedAt = useRef(0)
  const text = draft.value ?? (isFirst ? t('phones.hello', { name: peer }) : '')

  const post = (message: object) =>
    model.attempt(() => api.call('post', `/sandbox/phones/${phone.Phone}/messages`, { To: chat, ...message }))

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (!text.trim()) return
    draft.value = ''
    if (!(await post({ Text: text }))) draft.value = text
  }

  function onType(value: string): void {
    draft.value = value
    if (Date.now() - typedAt.current < TYPING_MS) return
    typedAt.current = Date.now()
    void model.act(phone.Phone, { Action: 'typing', Chat: chat })
  }

  async function attach({ files }: HTMLInputElement): Promise<void> {
    const [given] = files ?? []
    if (!given) return
    if (given.size > MAX_FILE_BYTES) {
      model.error.value = t('phones.tooLarge', { size: MAX_FILE_BYTES })
      return
    }
    const url = await dataUrlOf(given)
    const kind = /^image\/(png|jpeg|webp|gif)$/.test(given.type) ? 'image' : 'document'
    await post({ Message: { [kind]: url, ...(kind === 'document' ? { fileName: given.name } : {}) } })
  }

  if (!phone.On) return <p class="phone-alone muted">{t('phones.isOff')}</p>
  return (
    <form class="phone-composer" onSubmit={(event) => void send(event)}>
      <label>
        <span class="sr-only">{t('phones.write', { name: phone.Name })}</span>
        <input
          class="phones-wide"
          value={text}
          placeholder={t('phones.placeholder')}
          autocomplete="off"
          onInput={({ currentTarget }) => onType(currentTarget.value)}
        />
      </label>
      <Button type="submit" kind="primary" label={t('phones.sendAs', { name: phone.Name })}>
        {t('phones.send')}
      </Button>
      <div class="phone-attach">
        <Button kind="quiet" onPress={() => post({ Message: { image: samplePicture(phone.Name) } })}>
          {t('phones.picture')}
        </Button>
        <Button
          kind="quiet"
          onPress={() =>
            post({ Message: { audio: sampleVoice(), mimetype: 'audio/wav', ptt: true, seconds: 1 } })
          }
        >
          {t('phones.voice')}
        </Button>
        <Button kind="quiet" onPress={() => file.current?.click()}>
          {t('phones.chooseFile')}
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          aria-label={t('phones.chooseFile')}
          onChange={({ currentTarget }) =>
            void attach(currentTarget).finally(() => {
              currentTarget.value = ''
            })
          }
        />
      </div>
    </form>
  )
}

function dataUrlOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('the file can not be read'))
    reader.readAsDataURL(file)
  })
}
