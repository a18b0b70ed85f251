import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import { Calls } from './calls.tsx'
import { Chat } from './chat.tsx'
import { Composer } from './composer.tsx'
import { keyOf, type Model } from './model.ts'
import type { PhoneView } from './types.ts'

export interface PhoneProps {
  model: Model
  phone: PhoneView
  onClose: (() => void) | undefined
}

/** A phone from its user's view: one chat and its actions. */
export function Phone({ model, phone, onClose }: PhoneProps) {
  const id = useId()
  const others = (model.phones.value ?? []).filter(({ Phone }) => Phone !== phone.Phone)
  const chosen = useSignal('')
  const isOpen = useSignal(false)
  const chats = [...others.map(({ LID }) => LID), ...phone.Groups]
  const chat = chats.includes(chosen.value) ? chosen.value : (chats[0] ?? '')
  const peer = others.find(({ LID }) => LID === chat)
  const isLinked = phone.Companions.length > 0
  const isBlocked = phone.Blocked.includes(chat)
  const unread = model.unread.value[keyOf(phone.Phone, chat)] ?? 0
  const typing = model.typing.value[keyOf(phone.Phone, chat)]
  const act = (action: object) => model.act(phone.Phone, action)
  const titleOf = (lid: string): string => {
    const count = model.unread.value[keyOf(phone.Phone, lid)]
    const name = others.find(({ LID }) => LID === lid)?.Name ?? lid
    return count ? `${name} (${count})` : name
  }

  return (
    <section class={phone.On ? 'phone' : 'phone phone-off'} aria-labelledby={id}>
      <header class="phone-head">
        <h2 id={id}>{phone.Name}</h2>
        {isLinked ? <Badge tone="good">{t('phones.linked')}</Badge> : null}
        {phone.On ? null : <Badge tone="warn">{t('phones.off')}</Badge>}
        <span class="bar-space" />
        <Button
          kind="quiet"
          label={t('phones.more', { name: phone.Name })}
          onPress={() => {
            isOpen.value = !isOpen.value
          }}
        >
          <span aria-hidden="true">⋮</span>
        </Button>
        <p class="phone-number">
          <code>{phone.Phone}</code> {phone.Username ? <span>@{phone.Username}</span> : null}
        </p>
      </header>
      {isOpen.value ? <Menu model={model} phone={phone} onClose={onClose} /> : null}
      {phone.PasskeyCode ? (
        <p class="phone-passkey" role="status">
          {t('phones.passkeyCode')} <code>{phone.PasskeyCode}</code>
        </p>
      ) : null}
      <Calls phone={phone} phones={others} act={act} />
      {chat ? (
        <>
          <div class="phone-peer row">
            <label class="row">
              <span class="sr-only">{t('phones.chatOf', { name: phone.Name })}</span>
              <select
                value={chat}
                onChange={({ currentTarget }) => {
                  chosen.value = currentTarget.value
                }}
              >
                {chats.map((lid) => (
                  <option key={lid} value={lid}>
                    {titleOf(lid)}
                  </option>
                ))}
              </select>
            </label>
            <span class="bar-space" />
            {unread > 0 ? (
              <Button onPress={() => act({ Action: 'read', Chat: chat })}>
                {t('phones.read', { count: unread })}
              </Button>
            ) : null}
            {peer && phone.On ? (
              <>
                <Button onPress={() => act({ Action: 'call', Chat: chat })}>
                  {t('phones.call', { name: peer.Name.slice(0, 20) })}
                </Button>
                <Button onPress={() => act({ Action: isBlocked ? 'unblock' : 'block', Chat: chat })}>
                  {t(isBlocked ? 'phones.unblock' : 'phones.block')}
                </Button>
              </>
            ) : null}
          </div>
          <Chat key={chat} model={model} phone={phone} chat={chat} />
          <p class="phone-typing" role="status">
            {typing
              ? t(typing === 'recording' ? 'phones.recording' : 'phones.typing', { name: titleOf(chat) })
              : ''}
          </p>
          <Composer model={model} phone={phone} chat={chat} peer={peer?.Name ?? chat} />
        </>
      ) : (
        <p class="phone-alone muted">{t('phones.alone')}</p>
      )}
    </section>
  )
}

/** Actions of the whole phone. */
function Menu({ model, phone, onClose }: PhoneProps) {
  async function setUsername(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const field = form.elements.namedItem('username') as HTMLInputElement
    await model.act(phone.Phone, { Action: 'setUsername', Text: field.value.trim() })
  }
  return (
    <div class="phone-menu">
      <Button onPress={() => model.act(phone.Phone, { Action: phone.On ? 'switchOff' : 'switchOn' })}>
        {t(phone.On ? 'phones.switchOff' : 'phones.switchOn')}
      </Button>
      {onClose ? <Button onPress={onClose}>{t('phones.closeWindow')}</Button> : null}
      <form class="row" onSubmit={(event) => void setUsername(event)}>
        <label class="row">
          {t('phones.username')}
          <input
            name="username"
            size={12}
            defaultValue={phone.Username}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <Button type="submit">{t('phones.set')}</Button>
      </form>
      {phone.Companions.map(({ JID }) => (
        <Button
          key={JID}
          kind="danger"
          onPress={() => model.act(phone.Phone, { Action: 'unlink', Companion: JID })}
        >
          {t('phones.unlink', { device: JID.split('@', 1)[0]?.split(':').at(-1) ?? '' })}
        </Button>
      ))}
    </div>
  )
}
