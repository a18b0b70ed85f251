import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import { Bubble } from './bubble.tsx'
import { MAX_MESSAGES, type Model } from './model.ts'
import type { PhoneView } from './types.ts'

/** Distance from the end within which a chat's list follows new messages. */
const NEAR_PX = 80
const PAGE = 50

/** The messages of one chat, the newest last. */
export function Chat({ model, phone, chat }: { model: Model; phone: PhoneView; chat: string }) {
  const messages = model.chat(phone.Phone, chat).value
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const session = model.sessions.value.find(({ JID }) => JID.startsWith(`${phone.Phone}@`))

  useLayoutEffect(() => {
    const { current } = list
    if (current && isAtEnd.current) current.scrollTop = current.scrollHeight
  }, [messages])

  return (
    <div
      ref={list}
      class="phone-chat"
      role="log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={t('phones.messagesOf', { name: phone.Name })}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX
      }}
    >
      {messages === undefined ? <p class="loading">{t('shell.loading')}</p> : null}
      {messages?.length === 0 ? <p class="muted phone-none">{t('phones.noMessages')}</p> : null}
      {messages && messages.length >= PAGE && messages.length < MAX_MESSAGES ? (
        <Button kind="quiet" onPress={() => model.earlier(phone.Phone, chat)}>
          {t('phones.earlier')}
        </Button>
      ) : null}
      {messages?.map((message) => (
        <Bubble key={message.Seq} model={model} phone={phone} message={message} session={session?.Id ?? ''} />
      ))}
    </div>
  )
}
