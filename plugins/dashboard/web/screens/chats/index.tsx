import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { SessionSelect } from '../../forms/session-select.tsx'
import { follow, type Live } from '../../live.ts'
import { Empty } from '../../parts/empty.tsx'
import { LiveState } from '../../parts/live-state.tsx'
import { Page } from '../../parts/page.tsx'
import { useSessions } from '../../parts/sessions.ts'
import { query, setQuery, to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { sessionOf, streamPath } from '../inspector/events-of.ts'
import './chats.css'
import { nameOf } from './chats.ts'
import { Conversation } from './conversation.tsx'
import { ChatList } from './list.tsx'

/**
 * Reads chats of a session and answers in them. Shown only if the plugin with the routes is enabled, which is off by
 * default.
 */
export default function Chats() {
  const sessions = useSessions()
  const all = sessions.data.value ?? []
  const session = query.value.get('session') ?? (all.length === 1 ? (all[0]?.id ?? '') : '')
  const chat = query.value.get('chat') ?? ''
  /** Changes when a message is logged. */
  const round = useSignal(0)
  const names = useSignal<ReadonlyMap<string, string>>(new Map())
  const live = useSignal<Live | undefined>(undefined)

  useEffect(() => {
    if (!session) return
    const filters = { session, type: 'Message', chat: '', id: '' }
    live.value = follow(streamPath(filters), () => (round.value += 1), { session: sessionOf(filters) })
    return () => live.value?.close()
  }, [session])

  return (
    <Page
      title={t('chats.title')}
      lead={t('chats.lead')}
      actions={session ? <LiveState live={live.value} /> : null}
    >
      <div class="stack">
        {all.length > 1 ? (
          <div class="session-choice">
            <SessionSelect
              label={t('inspector.session')}
              sessions={all}
              value={session}
              onSelect={(id) => setQuery({ session: id, chat: '' })}
            />
          </div>
        ) : null}
        {session ? (
          <div class={chat ? 'chats chats-open' : 'chats'}>
            <ChatList
              key={session}
              session={session}
              chat={chat}
              round={round.value}
              onRead={(rows) => (names.value = new Map(rows.map((row) => [row.JID, nameOf(row)])))}
            />
            {chat ? (
              <Conversation
                key={`${session} ${chat}`}
                session={session}
                chat={chat}
                name={names.value.get(chat) ?? chat}
                round={round.value}
              />
            ) : (
              <Empty>{t('chats.choose')}</Empty>
            )}
          </div>
        ) : sessions.data.value?.length === 0 ? (
          <Empty action={<a href={to('/')}>{t('fleet.title')}</a>}>{t('fleet.empty')}</Empty>
        ) : (
          <Empty>{t('deliveries.chooseSession')}</Empty>
        )}
      </div>
    </Page>
  )
}
