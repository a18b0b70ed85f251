import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { may, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { DataLink } from '../../parts/link.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { withNames } from '../../parts/people.ts'
import { useLoad } from '../../parts/use-load.ts'
import { setQuery, to } from '../../shell/navigate.ts'
import { t, timeOf } from '../../text.ts'
import { type ChatMessage, type ChatPage, personOf, readMessages, sendText } from './chats.ts'

export interface ConversationProps {
  session: string
  chat: string
  name: string
  /** Read again when it changes. */
  round: number
}

/** The messages of one chat, the newest last, and an answer field. */
export function Conversation({ session, chat, name, round }: ConversationProps) {
  const newest = useLoad(() => readMessages(session, chat), [round])
  const older = useSignal<ChatPage<ChatMessage> | undefined>(undefined)
  const end = useRef<HTMLDivElement>(null)
  const last = newest.data.value?.rows[0]?.Seq
  useLayoutEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight
  }, [last])

  return (
    <section class="card chats-conversation" aria-label={t('chats.messages')}>
      <div class="row">
        <h2>{withNames(session, name)}</h2>
        <Button kind="quiet" label={t('chats.close')} onPress={() => setQuery({ chat: '' })}>
          ✕
        </Button>
      </div>
      <Loading of={newest}>
        {({ rows, before }) => {
          const first = rows.at(-1)?.Seq ?? 0
          const more = (older.value?.rows ?? []).filter(({ Seq }) => Seq < first)
          const next = older.value?.before ?? before
          return (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
            <div class="chats-messages" ref={end} tabIndex={0}>
              {next ? (
                <Button
                  kind="quiet"
                  onPress={async () => {
                    const page = await readMessages(session, chat, next)
                    older.value = { ...page, rows: [...more, ...page.rows] }
                  }}
                >
                  {t('inspector.older')}
                </Button>
              ) : null}
              <ol>
                {[...rows, ...more].reverse().map((message) => (
                  <li key={message.Seq}>
                    <Bubble message={message} session={session} />
                  </li>
                ))}
              </ol>
            </div>
          )
        }}
      </Loading>
      {may('send') ? <Answer session={session} chat={chat} /> : null}
    </section>
  )
}

function Bubble({ message, session }: { message: ChatMessage; session: string }) {
  const { Message, Edited, Deleted, Reactions, MediaURL } = message
  const { id, isFromMe, from, text, type, time } = Message
  return (
    <article class={isFromMe ? 'chats-bubble chats-own' : 'chats-bubble'}>
      <p class={isFromMe ? 'sr-only' : 'chats-name'}>
        {isFromMe ? t('chats.you') : withNames(session, personOf(from))}
      </p>
      {type === 'text' || Deleted ? null : <p class="muted">[{type}]</p>}
      {MediaURL ? <DataLink href={new URL(MediaURL, location.href).href}>{t('chats.file')}</DataLink> : null}
      <p class={Deleted ? 'muted' : 'chats-text'}>{Deleted ? t('chats.deleted') : text}</p>
      {Reactions.length > 0 ? <p>{Reactions.map(({ Emoji }) => Emoji).join(' ')}</p> : null}
      <p class="muted chats-foot">
        {Edited ? `${t('chats.edited')} · ` : ''}
        <a href={to(`/messages/${encodeURIComponent(session)}/${encodeURIComponent(id)}`)}>{timeOf(time)}</a>
      </p>
    </article>
  )
}

function Answer({ session, chat }: { session: string; chat: string }) {
  const text = useSignal('')
  const error = useSignal('')
  useEffect(() => {
    error.value = ''
  }, [text.value])

  async function send(event: Event): Promise<void> {
    event.preventDefault()
    const body = text.value.trim()
    if (!body) return
    try {
      await sendText(session, chat, body)
      text.value = ''
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  return (
    <form class="row chats-answer" onSubmit={(event) => void send(event)}>
      <label>
        <span class="sr-only">{t('chats.answer')}</span>
        <input
          value={text.value}
          placeholder={t('chats.answer')}
          autocomplete="off"
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
      </label>
      <Button type="submit" kind="primary">
        {t('chats.send')}
      </Button>
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
    </form>
  )
}
