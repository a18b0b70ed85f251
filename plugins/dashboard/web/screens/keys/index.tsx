import './keys.css'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, login } from '../../api.ts'
import { fitting } from '../../forms/fitting.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { type Grace, GraceChoice } from '../../forms/grace.tsx'
import { SearchField } from '../../forms/search-field.tsx'
import { SessionSelect } from '../../forms/session-select.tsx'
import { ShownOnce } from '../../forms/shown-once.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { query, setQuery } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { CreateKey } from './create.tsx'
import { isFor, type ListedKey, readChats, readKeys, readSessions } from './key.ts'
import { KeyList } from './list.tsx'

/** Sessions whose contacts are read for the names of the chats in the list. */
const MOST_NAMED = 5

/** Keys that are seen at once without a search. */
const FEW = 8

export default function KeysScreen() {
  if (login.value?.Kind === 'key')
    return (
      <Page title={t('keys.title')}>
        <Notice kind="info">{t('keys.notByKey')}</Notice>
      </Page>
    )
  return <Keys />
}

/** `?session=` shows only the keys for a session, `?new=` begins one for it. */
function Keys() {
  const keys = useLoad(readKeys)
  const sessions = useLoad(readSessions)
  const rotating = useSignal<ListedKey | undefined>(undefined)
  const revoking = useSignal<ListedKey | undefined>(undefined)
  const made = useSignal('')
  const names = useSignal<ReadonlyMap<string, string>>(new Map())
  const session = query.value.get('session') ?? ''
  const search = query.value.get('search') ?? ''
  const creating = query.value.get('new')
  const known = sessions.data.value ?? []
  const all = keys.data.value?.Keys ?? []
  const limited = known
    .filter(
      ({ id, isOpen }) => isOpen && all.some(({ Chats, Sessions }) => Chats.length > 0 && Sessions[0] === id),
    )
    .slice(0, MOST_NAMED)
    .map(({ id }) => id)
    .join(' ')

  useEffect(() => {
    if (!limited) return
    void Promise.all(limited.split(' ').map(readChats)).then((found) => {
      names.value = new Map(found.flat().map(({ value, title }) => [value, title]))
    })
  }, [limited])

  async function show(key: string): Promise<void> {
    setQuery({ new: '' })
    rotating.value = undefined
    made.value = key
    await keys.reload()
  }
  const create = (
    <Button kind="primary" onPress={() => setQuery({ new: session || 'any' })}>
      {t('keys.create')}
    </Button>
  )
  return (
    <Page title={t('keys.title')} lead={t('keys.lead')} actions={create}>
      <div class="stack">
        <div class="list-head">
          {known.length > 1 ? (
            <div class="session-choice">
              <SessionSelect
                label={t('keys.forSession')}
                sessions={known}
                value={session}
                all={t('keys.allSessions')}
                onSelect={(id) => setQuery({ session: id })}
              />
            </div>
          ) : null}
          {all.length > FEW ? (
            <SearchField
              label={t('keys.search')}
              value={search}
              onInput={(text) => setQuery({ search: text })}
            />
          ) : null}
        </div>
        {sessions.error.value ? <Notice kind="bad">{sessions.error.value}</Notice> : null}
        <Loading of={keys}>
          {({ Keys: listed }) => {
            const one = known.find(({ id }) => id === session)
            const fits = fitting(search)
            const shown = (one ? listed.filter((key) => isFor(key, one)) : listed).filter(
              ({ Name, Hint, Label }) => fits([Name, Label], [Hint]),
            )
            if (shown.length === 0) {
              const isOfSession = session !== '' && listed.length > 0
              if (search) return <Empty>{t('shell.noneFits')}</Empty>
              return <Empty>{t(isOfSession ? 'keys.noneForSession' : 'keys.empty')}</Empty>
            }
            return (
              <KeyList
                keys={shown}
                sessions={new Map(known.map(({ id, name }) => [id, name]))}
                chats={names.value}
                onRotate={(key) => (rotating.value = key)}
                onRevoke={(key) => (revoking.value = key)}
              />
            )
          }}
        </Loading>
      </div>
      <CreateKey
        isOpen={creating !== null && sessions.data.value !== undefined}
        sessions={known}
        session={creating ?? ''}
        onClose={() => setQuery({ new: '' })}
        onMade={show}
      />
      <RotateKey of={rotating.value} onClose={() => (rotating.value = undefined)} onMade={show} />
      <ShownOnce title={t('keys.made')} secret={made.value} onClose={() => (made.value = '')} />
      <FormDialog
        title={t('keys.revokeTitle')}
        isOpen={revoking.value !== undefined}
        onClose={() => (revoking.value = undefined)}
        submit={t('keys.revoke')}
        kind="danger"
        run={async () => {
          await api.delete('/keys/{id}', undefined, { params: { id: revoking.value?.Id ?? '' } })
          revoking.value = undefined
          await keys.reload()
        }}
      >
        <p>{t('keys.revokeFollows', { name: revoking.value?.Name ?? '' })}</p>
      </FormDialog>
    </Page>
  )
}

interface RotateKeyProps {
  /** undefined while the dialog is closed. */
  of: ListedKey | undefined
  onClose(): void
  onMade(key: string): Promise<void>
}

/** Replaces a key with a new one that has the same rights. */
function RotateKey({ of: key, onClose, onMade }: RotateKeyProps) {
  const grace = useSignal<Grace>('0')
  useEffect(() => {
    grace.value = '0'
  }, [key])
  return (
    <FormDialog
      title={t('keys.rotate')}
      isOpen={key !== undefined}
      onClose={onClose}
      submit={t('keys.rotateRun')}
      kind="danger"
      run={async () => {
        const body = { GraceSeconds: Number(grace.value) }
        const made = await api.post('/keys/{id}/rotate', body, { params: { id: key?.Id ?? '' } })
        await onMade(made.Key)
      }}
    >
      <p>{t('keys.rotateFollows', { name: key?.Name ?? '' })}</p>
      <GraceChoice value={grace.value} onChange={(chosen) => (grace.value = chosen)} />
    </FormDialog>
  )
}
