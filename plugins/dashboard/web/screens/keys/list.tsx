import { Ago } from '../../parts/ago.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Table } from '../../parts/table.tsx'
import { t } from '../../text.ts'
import { expiryOf, type ListedKey, shortOf } from './key.ts'

export interface KeyListProps {
  keys: readonly ListedKey[]
  /** By id. */
  sessions: ReadonlyMap<string, string>
  /** Names of chats by address, as far as known. */
  chats: ReadonlyMap<string, string>
  onRotate(key: ListedKey): void
  onRevoke(key: ListedKey): void
}

/** Names shown of a key with many. */
const NAMED = 3

export function KeyList({ keys, sessions, chats, onRotate, onRevoke }: KeyListProps) {
  return (
    <Table
      label={t('keys.title')}
      rows={keys}
      keyOf={({ Id }) => Id}
      columns={[
        {
          title: t('keys.name'),
          cell: ({ Name, Hint }) => (
            <span class="key-name">
              <strong>{Name}</strong>
              <code class="muted">{Hint}</code>
            </span>
          ),
        },
        {
          title: t('keys.scopes'),
          cell: ({ Scopes }) => (
            <span class="row key-scopes">
              {Scopes.map((scope) => (
                <Badge key={scope} tone={scope === 'admin' ? 'warn' : 'neutral'}>
                  {scope}
                </Badge>
              ))}
            </span>
          ),
        },
        {
          title: t('keys.sessions'),
          cell: ({ AllSessions, Sessions, Label }) => (
            <div class="key-list">
              {AllSessions
                ? t('keys.all')
                : Label
                  ? t('keys.labelled', { label: Label })
                  : listed(Sessions.map((id) => sessions.get(id) || id))}
            </div>
          ),
        },
        {
          title: t('keys.chats'),
          cell: ({ Chats }) => (
            <div class="key-list">
              {Chats.length === 0 ? (
                <span class="muted">{t('keys.allChats')}</span>
              ) : (
                listed(Chats.map((jid) => chats.get(jid) ?? shortOf(jid)))
              )}
            </div>
          ),
        },
        {
          title: t('keys.expires'),
          cell: (key) => {
            const mark = expiryOf(key)
            return (
              <span class="row">
                <Ago at={key.ExpiresAt} />
                {mark ? <Badge tone={mark.tone}>{mark.text}</Badge> : null}
              </span>
            )
          },
        },
        { title: t('keys.lastUse'), cell: ({ LastUse }) => <Ago at={LastUse} /> },
        {
          title: t('keys.actions'),
          cell: (key) => (
            <span class="key-actions">
              <Button label={`${t('keys.rotateRun')} ${key.Name}`} onPress={() => onRotate(key)}>
                {t('keys.rotateRun')}
              </Button>
              <Button kind="danger" label={`${t('keys.revoke')} ${key.Name}`} onPress={() => onRevoke(key)}>
                {t('keys.revoke')}
              </Button>
            </span>
          ),
        },
      ]}
    />
  )
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ')
  const count = names.length - NAMED
  return count > 0 ? t('keys.more', { names: shown, count }) : shown
}
