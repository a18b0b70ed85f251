import { useEffect } from 'preact/hooks'
import { SessionSelect } from '../../forms/session-select.tsx'
import { rangeKey, TimeRange } from '../../forms/time-range.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { SessionName } from '../../parts/sessions.ts'
import { useLoad } from '../../parts/use-load.ts'
import { query, setQuery } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { FailureCard } from './failure.tsx'
import { readFailures } from './read-failures.ts'

const POLL_MS = 5_000

/** What failed in a time over all webhooks or those of a session, grouped by receiver and error. */
export function Failures({ sessions }: { sessions: readonly SessionName[] }) {
  const session = query.value.get('session') ?? ''
  const list = useLoad(() => readFailures(session), [session, rangeKey()])
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void list.reload()
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="stack">
      <div class="list-head">
        {sessions.length > 1 ? (
          <div class="session-choice">
            <SessionSelect
              label={t('inspector.session')}
              sessions={sessions}
              value={session}
              onSelect={(id) => setQuery({ session: id })}
              all={t('inspector.allSessions')}
            />
          </div>
        ) : null}
        <TimeRange absent="24h" />
      </div>
      <Loading of={list}>
        {({ Failures: groups, Since, Until, Complete }) => (
          <>
            {Complete ? null : (
              <Notice kind="warn">
                {t('deliveries.cut')} <Moment at={Since} />
              </Notice>
            )}
            {groups.length === 0 ? (
              <Empty>{t('deliveries.noFailures')}</Empty>
            ) : (
              <ul class="failures" aria-label={t('deliveries.tab_failures')}>
                {groups.map((group) => (
                  <FailureCard
                    key={`${group.Error} ${group.URL}`}
                    group={group}
                    span={{ Since, Until }}
                    onChange={list.reload}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Loading>
    </div>
  )
}
