import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Notice } from '../../parts/notice.tsx'
import { to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import type { Run } from './bulk.ts'
import { type Summary, titleOf } from './summary.ts'

export interface BulkRunProps {
  run: Run
  onRetry(sessions: readonly Summary[]): void
  onClose(): void
}

/** How far an action on many sessions is, which failed and why, and what is shown only once. */
export function BulkRun({ run, onRetry, onClose }: BulkRunProps) {
  const { action, total, done, failures, given, isOver, cancel } = run
  const failed = failures.value.length
  const left = isOver.value ? total - done.value : 0
  return (
    <section class="card bulk-run" aria-labelledby="bulk-run">
      <div class="row">
        <h2 id="bulk-run">{t(`fleet.bulk_${action}`, { count: total })}</h2>
        <span class="bar-space" />
        {isOver.value ? (
          <>
            {failed > 0 ? (
              <Button onPress={() => onRetry(failures.value.map(({ session }) => session))}>
                {t('fleet.tryAgain', { count: failed })}
              </Button>
            ) : null}
            <Button onPress={onClose}>{t('shell.close')}</Button>
          </>
        ) : (
          <Button onPress={cancel}>{t('fleet.cancelRest')}</Button>
        )}
      </div>
      {isOver.value ? null : (
        <progress max={total} value={done.value} aria-label={t(`fleet.bulk_${action}`, { count: total })} />
      )}
      <p role="status">
        {isOver.value
          ? [
              t('fleet.doneOf', { done: done.value - failed, count: total }),
              failed > 0 ? t('fleet.failedOf', { failed, count: total }) : '',
              left > 0 ? t('fleet.leftOut', { count: left }) : '',
            ]
              .filter(Boolean)
              .join(' · ')
          : t('fleet.doneOf', { done: done.value, count: total })}
      </p>
      {failed > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
        <ul class="bulk-failures" tabIndex={0} aria-label={t('fleet.failedOf', { failed, count: total })}>
          {failures.value.map(({ session, reason }) => (
            <li key={session.Id}>
              <a href={to(`/sessions/${encodeURIComponent(session.Id)}`)}>{titleOf(session)}</a> {reason}
            </li>
          ))}
        </ul>
      ) : null}
      {isOver.value && given.value.length > 0 ? (
        <>
          <Notice kind="warn">{t('fleet.onlyOnce')}</Notice>
          <div class="bulk-given">
            <Copy text={given.value.map((line) => line.join('\t')).join('\n')} isBlock />
          </div>
        </>
      ) : null}
    </section>
  )
}
