import { api } from '../../api.ts'
import { Ago } from '../../parts/ago.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { Loaded } from '../../parts/use-load.ts'
import { type TextKey, t } from '../../text.ts'

/** WhatsApp refuses a version after two to five months. */
const OLD_DAYS = 45

const SOURCES: Readonly<Record<string, TextKey>> = {
  'built-in': 'health.builtIn',
  setting: 'health.setting',
}

export const readWebVersion = () => api.get('/server/web-version')

/** The WhatsApp Web version with which links are opened: once it is too old, no session can connect. */
export function WebVersion({ of }: { of: Loaded<Awaited<ReturnType<typeof readWebVersion>>> }) {
  return (
    <section class="stack" aria-labelledby="web-version">
      <h2 id="web-version">{t('health.webVersion')}</h2>
      <Loading of={of}>
        {({ Version, Source, AgeDays, FetchedAt, LookedUpAt, ExpiresAt, Problem, Refused }) => (
          <>
            {Refused > 0 ? <Notice kind="bad">{t('health.refused', { count: Refused })}</Notice> : null}
            {Problem ? <Notice kind="warn">{t('health.problem', { problem: Problem })}</Notice> : null}
            {AgeDays >= OLD_DAYS && LookedUpAt ? <Notice kind="warn">{t('health.old')}</Notice> : null}
            <dl class="facts">
              <dt>{t('health.version')}</dt>
              <dd class="mono">{Version}</dd>
              <dt>{t('health.source')}</dt>
              <dd>{SOURCES[Source] ? t(SOURCES[Source]) : Source}</dd>
              <dt>{t('health.age')}</dt>
              <dd>
                {t('health.days', { count: Math.floor(AgeDays) })}{' '}
                {FetchedAt ? (
                  <>
                    (<Ago at={FetchedAt} />)
                  </>
                ) : null}
              </dd>
              <dt>{t('health.lookedUp')}</dt>
              <dd>
                <Ago at={LookedUpAt} />
              </dd>
              {ExpiresAt ? (
                <>
                  <dt>{t('health.expires')}</dt>
                  <dd>
                    <Ago at={ExpiresAt} />
                  </dd>
                </>
              ) : null}
            </dl>
          </>
        )}
      </Loading>
    </section>
  )
}
