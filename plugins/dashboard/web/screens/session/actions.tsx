import { useSignal } from '@preact/signals'
import { api, of, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { t } from '../../text.ts'
import type { Summary } from '../fleet/summary.ts'

type Action = 'restart' | 'stop' | 'unlink'

/** An operator's actions on a session; each describes its effect before it runs. */
export function SessionActions({ session: { Id, State, JID } }: { session: Summary }) {
  const asked = useSignal<Action | ''>('')
  const error = useSignal('')
  const calls: Record<Action, () => Promise<unknown>> = {
    async restart() {
      await api.post('/session/disconnect', undefined, of(Id))
      await api.post('/session/connect', {}, of(Id))
    },
    stop: () => api.post('/session/disconnect', undefined, of(Id)),
    unlink: () => api.post('/session/logout', undefined, of(Id)),
  }
  const titles = {
    restart: t('session.restart'),
    stop: t('session.stop'),
    unlink: t('session.unlink'),
  }
  const follows = {
    restart: t('session.restartFollows'),
    stop: t('session.stopFollows'),
    unlink: t('session.unlinkFollows'),
  }

  async function run(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      asked.value = ''
      error.value = ''
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  const ask = (action: Action, kind: 'plain' | 'danger' = 'plain') => (
    <Button
      kind={kind}
      onPress={() => {
        error.value = ''
        asked.value = action
      }}
    >
      {titles[action]}
    </Button>
  )
  const action = asked.value
  return (
    <>
      {State === 'offline' && JID ? (
        <Button kind="primary" onPress={() => run(() => api.post('/session/connect', {}, of(Id)))}>
          {t('session.start')}
        </Button>
      ) : null}
      {State === 'offline' ? null : ask('restart')}
      {State === 'offline' ? null : ask('stop')}
      {JID && State === 'open' ? ask('unlink', 'danger') : null}
      {error.value && !action ? <Notice kind="bad">{error.value}</Notice> : null}
      <Dialog
        title={action ? titles[action] : ''}
        isOpen={action !== ''}
        onClose={() => (asked.value = '')}
        actions={
          action ? (
            <Button kind={action === 'unlink' ? 'danger' : 'primary'} onPress={() => run(calls[action])}>
              {titles[action]}
            </Button>
          ) : null
        }
      >
        <p>{action ? follows[action] : ''}</p>
        {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
      </Dialog>
    </>
  )
}
