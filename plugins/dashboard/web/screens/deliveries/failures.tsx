import { useEffect } from 'preact/hooks'
import { rangeKey, TimeRange } from '../../forms/time-range.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t } from '../../text.ts'
import { FailureCard } from './failure.tsx'
import { readFailures } from './read-failures.ts'

const POLL_MS = 5_000

/** What failed in a time over all webhooks, grouped by receiver and error. */
export function Failures() {
  const list = useLoad(readFailures, [rangeKey()])
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void list.reload()
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="stack">
      <TimeRange absent="24h" />
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
