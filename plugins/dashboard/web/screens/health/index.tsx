import { useEffect } from 'preact/hooks'
import { api } from '../../api.ts'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { numberOf, t } from '../../text.ts'
import { Checks, readHealth } from './checks.tsx'
import { SessionLimits } from './limits.tsx'
import { Measures, readMeasures } from './measures.tsx'
import { Unknown } from './unknown.tsx'
import { readWebVersion, WebVersion } from './web-version.tsx'

const REFRESH_MS = 5_000

export default function HealthScreen() {
  const health = useLoad(readHealth)
  const consumers = useLoad(() => api.get('/server/consumers'))
  const version = useLoad(readWebVersion)
  const measures = useLoad(readMeasures)
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) return
      for (const { reload } of [health, version, consumers, measures]) void reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [health.reload, version.reload, consumers.reload, measures.reload])

  return (
    <Page title={t('health.title')} lead={t('health.lead')}>
      <div class="stack">
        <Checks of={health} />
        <WebVersion of={version} />
        <section class="stack" aria-labelledby="consumers">
          <h2 id="consumers">{t('health.consumers')}</h2>
          <Loading of={consumers}>
            {({ Consumers, Unanswered }) => (
              <>
                <Unknown nodes={Unanswered} />
                <Table
                  label={t('health.consumers')}
                  rows={Consumers}
                  keyOf={({ Name }) => Name}
                  columns={[
                    { title: t('health.consumer'), cell: ({ Name }) => Name },
                    { title: t('health.lag'), isNumber: true, cell: ({ Lag }) => numberOf(Lag) },
                    {
                      title: t('health.dead'),
                      isNumber: true,
                      cell: ({ DeadLetters }) => numberOf(DeadLetters),
                    },
                  ]}
                />
              </>
            )}
          </Loading>
        </section>
        <SessionLimits />
        <Measures of={measures} />
      </div>
    </Page>
  )
}
