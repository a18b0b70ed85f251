import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Ago } from '../../parts/ago.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { withNames } from '../../parts/people.ts'
import { useLoad } from '../../parts/use-load.ts'
import { query, to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import { type ChatPage, nameOf, readChats, type ShownChat } from './chats.ts'

export interface ChatListProps {
  session: string
  /** The open chat; '' for none. */
  chat: string
  /** Read again when it changes. */
  round: number
  /** Receives the first page each time it is read. */
  onRead(rows: readonly ShownChat[]): void
}

/** The chat with the newest message first. */
export function ChatList({ session, chat, round, onRead }: ChatListProps) {
  const chats = useLoad(async () => {
    const page = await readChats(session)
    onRead(page.rows)
    return page
  }, [round])
  const older = useSignal<ChatPage<ShownChat> | undefined>(undefined)
  useEffect(() => {
    older.value = undefined
  }, [round])

  return (
    <section aria-label={t('chats.list')} class="chats-list">
      <Loading of={chats}>
        {(first) => {
          const known = new Set(first.rows.map(({ JID }) => JID))
          const more = (older.value?.rows ?? []).filter(({ JID }) => !known.has(JID))
          const before = older.value?.before ?? first.before
          if (first.rows.length === 0) return <Empty>{t('chats.none')}</Empty>
          return (
            <>
              <ul>
                {[...first.rows, ...more].map((row) => (
                  <li key={row.JID}>
                    <Row row={row} session={session} isOpen={row.JID === chat} />
                  </li>
                ))}
              </ul>
              {before ? (
                <Button
                  kind="quiet"
                  onPress={async () => {
                    const page = await readChats(session, before)
                    older.value = { ...page, rows: [...more, ...page.rows] }
                  }}
                >
                  {t('inspector.older')}
                </Button>
              ) : null}
            </>
          )
        }}
      </Loading>
    </section>
  )
}

function Row({ row, session, isOpen }: { row: ShownChat; session: string; isOpen: boolean }) {
  const { JID, Unread, Last } = row
  const place = new URLSearchParams(query.value)
  place.set('chat', JID)
  return (
    <a href={to(`/chats?${place}`)} aria-current={isOpen ? 'true' : undefined}>
      <span class="chats-name">{withNames(session, nameOf(row))}</span>
      {Unread > 0 ? <Badge tone="good">{t('chats.unread', { count: numberOf(Unread) })}</Badge> : null}
      {Last ? (
        <span class="chats-last muted">
          {Last.Message.isFromMe ? '→ ' : ''}
          {Last.Deleted ? t('chats.deleted') : Last.Message.text || `[${Last.Message.type}]`}
        </span>
      ) : null}
      {Last ? (
        <span class="chats-time muted">
          <Ago at={Last.Message.time} />
        </span>
      ) : null}
    </a>
  )
}
