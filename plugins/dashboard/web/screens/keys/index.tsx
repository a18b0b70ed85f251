import { useSignal } from '@preact/signals'
import { api, textOf } from '../../api.ts'
import { Ago } from '../../parts/ago.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useSessions } from '../../parts/sessions.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t } from '../../text.ts'
import { CreateKey } from './create.tsx'

export default function KeysScreen() {
  const keys = useLoad(() => api.get('/keys'))
  const sessions = useSessions()
  const names = new Map(sessions.data.value?.map(({ id, name }) => [id, name]))
  const isCreating = useSignal(false)
  const made = useSignal('')
  const revoking = useSignal<{ Id: string; Name: string } | undefined>(undefined)
  const error = useSignal('')

  async function revoke(id: string): Promise<void> {
    try {
      await api.delete('/keys/{id}', undefined, { params: { id } })
      revoking.value = undefined
      await keys.reload()
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  const create = (
    <Button kind="primary" onPress={() => (isCreating.value = true)}>
      {t('keys.create')}
    </Button>
  )
  return (
    <Page title={t('keys.title')} lead={t('keys.lead')} actions={create}>
      <Loading of={keys}>
        {({ Keys }) =>
          Keys.length === 0 ? (
            <Empty>{t('keys.empty')}</Empty>
          ) : (
            <Table
              label={t('keys.title')}
              rows={Keys}
              keyOf={({ Id }) => Id}
              columns={[
                { title: t('keys.name'), cell: ({ Name }) => Name },
                { title: t('keys.hint'), cell: ({ Hint }) => <code>{Hint}</code> },
                {
                  title: t('keys.scopes'),
                  cell: ({ Scopes }) => (
                    <span class="row">
                      {Scopes.map((scope) => (
                        <Badge key={scope}>{scope}</Badge>
                      ))}
                    </span>
                  ),
                },
                {
                  title: t('keys.sessions'),
                  cell: ({ AllSessions, Sessions, Label }) =>
                    AllSessions
                      ? t('keys.all')
                      : Label || Sessions.map((id) => names.get(id) || id).join(', '),
                },
                { title: t('keys.expires'), cell: ({ ExpiresAt }) => <Ago at={ExpiresAt} /> },
                { title: t('keys.lastUse'), cell: ({ LastUse }) => <Ago at={LastUse} /> },
                {
                  title: t('keys.revoke'),
                  cell: ({ Id, Name }) => (
                    <Button
                      kind="danger"
                      label={`${t('keys.revoke')} ${Name}`}
                      onPress={() => (revoking.value = { Id, Name })}
                    >
                      {t('keys.revoke')}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loading>
      <CreateKey
        isOpen={isCreating.value}
        onClose={() => (isCreating.value = false)}
        onMade={async (key) => {
          isCreating.value = false
          made.value = key
          await keys.reload()
        }}
      />
      <Dialog title={t('keys.made')} isOpen={made.value !== ''} onClose={() => (made.value = '')}>
        <Notice kind="warn">{t('keys.onlyOnce')}</Notice>
        <Copy text={made.value} isBlock />
      </Dialog>
      <Dialog
        title={t('keys.revoke')}
        isOpen={revoking.value !== undefined}
        onClose={() => (revoking.value = undefined)}
        actions={
          <Button kind="danger" onPress={() => revoke(revoking.value?.Id ?? '')}>
            {t('keys.revoke')}
          </Button>
        }
      >
        <p>{t('keys.revokeFollows', { name: revoking.value?.Name ?? '' })}</p>
        {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
      </Dialog>
    </Page>
  )
}
