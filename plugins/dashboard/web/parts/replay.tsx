import { useSignal } from '@preact/signals'
import { textOf } from '../api.ts'
import { to } from '../shell/navigate.ts'
import { t } from '../text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Empty } from './empty.tsx'
import { Field } from './field.tsx'
import { Loading } from './loading.tsx'
import { Notice } from './notice.tsx'
import { useLoad } from './use-load.ts'
import { readWebhooks, replay, type Webhook } from './webhooks.ts'

export interface ReplayDialogProps {
  isOpen: boolean
  onClose(): void
  session: string
  event: { readonly id: string; readonly seq: number }
}

/** Redelivers one event, or all events from it on, after announcing that. */
export function ReplayDialog(props: ReplayDialogProps) {
  return (
    <Dialog title={t('deliveries.replayTitle')} isOpen={props.isOpen} onClose={props.onClose}>
      <ReplayForm {...props} />
    </Dialog>
  )
}

const keyOf = ({ id, isGlobal }: Webhook): string => `${isGlobal ? 'global' : 'own'} ${id}`

function ReplayForm({ session, event }: ReplayDialogProps) {
  const webhooks = useLoad(() => readWebhooks(session), [session])
  const chosen = useSignal('')
  const isRange = useSignal(false)
  const done = useSignal<number | undefined>(undefined)
  const error = useSignal('')

  function choose(range: boolean): void {
    isRange.value = range
    done.value = undefined
  }

  async function run(webhook: Webhook): Promise<void> {
    done.value = undefined
    error.value = ''
    try {
      const what = isRange.value ? { FromSeq: event.seq, Missing: true } : { Id: event.id }
      done.value = await replay(webhook, session, what)
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  return (
    <Loading of={webhooks}>
      {(all) => {
        const webhook = all.find((one) => keyOf(one) === chosen.value) ?? all[0]
        if (!webhook)
          return (
            <Empty action={<a href={to(`/deliveries?session=${session}`)}>{t('deliveries.title')}</a>}>
              {t('deliveries.replayNone')}
            </Empty>
          )
        return (
          <div class="stack">
            <Field label={t('deliveries.replayTo')}>
              {(ties) => (
                <select
                  {...ties}
                  value={keyOf(webhook)}
                  onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
                >
                  {all.map((one) => (
                    <option key={keyOf(one)} value={keyOf(one)}>
                      {one.url}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <fieldset class="stack-tight">
              <legend class="sr-only">{t('deliveries.replayWhat')}</legend>
              <label>
                <input type="radio" name="what" checked={!isRange.value} onChange={() => choose(false)} />{' '}
                {t('deliveries.replayOne')}
              </label>
              <label>
                <input type="radio" name="what" checked={isRange.value} onChange={() => choose(true)} />{' '}
                {t('deliveries.replayFrom')}
              </label>
            </fieldset>
            {isRange.value ? <Notice kind="warn">{t('deliveries.replayFromNotice')}</Notice> : null}
            {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
            {done.value === undefined ? null : (
              <Notice kind="good">{t('deliveries.replayed', { count: done.value })}</Notice>
            )}
            <Button kind={isRange.value ? 'danger' : 'primary'} onPress={() => run(webhook)}>
              {t(isRange.value ? 'deliveries.replayAll' : 'deliveries.replayNow')}
            </Button>
          </div>
        )
      }}
    </Loading>
  )
}
