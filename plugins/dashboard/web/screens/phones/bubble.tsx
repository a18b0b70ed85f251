import { useSignal } from '@preact/signals'
import { ROOT } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { to } from '../../shell/navigate.ts'
import { formatOf, t } from '../../text.ts'
import type { Model } from './model.ts'
import type { ListedMessage, PhoneView } from './types.ts'

const EMOJI = ['👍', '❤️', '😂', '🎉']
const TICKS: Readonly<Record<string, string>> = {
  sent: '✓',
  delivered: '✓✓',
  read: '✓✓',
  played: '✓✓',
  refused: '✕',
}

export interface BubbleProps {
  model: Model
  phone: PhoneView
  message: ListedMessage
  /** Id of the session linked by the phone; '' without one. */
  session: string
}

export function Bubble({ model, phone, message, session }: BubbleProps) {
  const { ID, FromMe, From, Time, Text, Quoted, Reactions, Edited, Revoked, Tick } = message
  const isOpen = useSignal(false)
  const isEditing = useSignal(false)
  const author = model.phones.value?.find((one) => one.Phone === From)?.Name ?? From
  const time = formatOf({ timeStyle: 'short', hourCycle: 'h23' }, Time * 1000)

  async function run(action: object): Promise<void> {
    await model.act(phone.Phone, { Id: ID, ...action })
    isOpen.value = false
    isEditing.value = false
  }

  async function edit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const field = form.elements.namedItem('text') as HTMLInputElement
    if (field.value) await run({ Action: 'edit', Text: field.value })
  }

  return (
    <article class={FromMe ? 'bubble bubble-own' : 'bubble'} data-id={ID}>
      <p class="sr-only">{FromMe ? t('phones.you') : author}</p>
      {Quoted ? <blockquote>{Quoted.Text || '…'}</blockquote> : null}
      {isEditing.value ? (
        <form class="row" onSubmit={(event) => void edit(event)}>
          <label>
            <span class="sr-only">{t('phones.newText')}</span>
            <input name="text" defaultValue={Text} />
          </label>
          <Button type="submit">{t('phones.save')}</Button>
        </form>
      ) : (
        <Body phone={phone} message={message} />
      )}
      {Reactions.length > 0 ? (
        <p class="bubble-reactions">
          {Reactions.map((one) => (
            <span key={one.From} title={one.From}>
              {one.Text}
            </span>
          ))}
        </p>
      ) : null}
      <p class="bubble-foot">
        {Edited ? <span>{t('phones.edited')}</span> : null}
        <time dateTime={new Date(Time * 1000).toISOString()}>{time}</time>
        {Tick ? (
          <span class={`tick tick-${Tick}`}>
            <span aria-hidden="true">{TICKS[Tick] ?? ''}</span>
            <span class="sr-only">{t(TICK_TEXTS[Tick] ?? 'phones.tickSent')}</span>
          </span>
        ) : null}
        {Revoked ? null : (
          <button
            type="button"
            class="bubble-more"
            aria-expanded={isOpen.value}
            aria-label={t('phones.actions', { text: Text.slice(0, 40) || ID })}
            onClick={() => {
              isOpen.value = !isOpen.value
            }}
          >
            ⋯
          </button>
        )}
      </p>
      {isOpen.value && !Revoked ? (
        <div class="bubble-actions">
          {EMOJI.map((emoji) => (
            <Button
              key={emoji}
              kind="quiet"
              label={t('phones.react', { emoji })}
              onPress={() => run({ Action: 'react', Text: isOwn(message, phone, emoji) ? '' : emoji })}
            >
              {emoji}
            </Button>
          ))}
          {FromMe && message.Kind === 'text' ? (
            <Button
              onPress={() => {
                isEditing.value = !isEditing.value
              }}
            >
              {t('phones.edit')}
            </Button>
          ) : null}
          {FromMe ? <Button onPress={() => run({ Action: 'revoke' })}>{t('phones.revoke')}</Button> : null}
          {message.Kind === 'voice' && !FromMe ? (
            <Button onPress={() => run({ Action: 'play', Chat: message.Chat })}>{t('phones.played')}</Button>
          ) : null}
          {session ? (
            <a class="button" href={to(`/messages/${encodeURIComponent(session)}/${encodeURIComponent(ID)}`)}>
              {t('phones.timeline')}
            </a>
          ) : null}
        </div>
      ) : null}
    </article>
  )
}

const TICK_TEXTS: Readonly<
  Record<
    string,
    | 'phones.tickSent'
    | 'phones.tickDelivered'
    | 'phones.tickRead'
    | 'phones.tickPlayed'
    | 'phones.tickRefused'
  >
> = {
  sent: 'phones.tickSent',
  delivered: 'phones.tickDelivered',
  read: 'phones.tickRead',
  played: 'phones.tickPlayed',
  refused: 'phones.tickRefused',
}

/** Pressing the same emoji again removes it. */
function isOwn({ Reactions }: ListedMessage, { Phone }: PhoneView, emoji: string): boolean {
  return Reactions.some(({ From, Text }) => From === Phone && Text === emoji)
}

function Body({ phone, message }: { phone: PhoneView; message: ListedMessage }) {
  const { ID, Kind, Text, Revoked, Media } = message
  if (Revoked) return <p class="muted">{t('phones.revoked')}</p>
  const file = `${ROOT}/sandbox/phones/${phone.Phone}/messages/${encodeURIComponent(ID)}/file`
  return (
    <>
      {Kind === 'image' || Kind === 'sticker' ? (
        <img class="bubble-image" src={file} alt={Text || t('phones.picture')} loading="lazy" />
      ) : null}
      {Kind === 'voice' || Kind === 'audio' ? (
        // biome-ignore lint/a11y/useMediaCaption: recordings have no captions
        <audio class="bubble-audio" controls preload="none" src={file} aria-label={t('phones.voice')} />
      ) : null}
      {Kind === 'video' || Kind === 'document' ? (
        <a href={file} download>
          {t('phones.file', { size: Media?.Size ?? 0 })}
        </a>
      ) : null}
      {Text ? <p class="bubble-text">{Text}</p> : null}
      {!Text && !Media ? <p class="muted mono">{Kind}</p> : null}
    </>
  )
}
