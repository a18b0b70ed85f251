import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { textOf } from '../../api.ts'
import { SessionSelect } from '../../forms/session-select.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useSessions } from '../../parts/sessions.ts'
import { useLoad } from '../../parts/use-load.ts'
import { query, setQuery } from '../../shell/navigate.ts'
import { type PluginPage, readPages } from '../../shell/pages.ts'
import { t } from '../../text.ts'
import type { ScreenProps } from '../screen-props.ts'
import { createElement } from './element.ts'

/** A plugin's page, for the chosen session. */
export default function PageScreen({ params }: ScreenProps) {
  const { plugin = '' } = params
  const pages = useLoad(readPages, [])
  const sessions = useSessions()
  const all = sessions.data.value
  const page = pages.data.value?.find(({ Plugin }) => Plugin === plugin)
  const session = query.value.get('session') ?? (all?.length === 1 ? (all[0]?.id ?? '') : '')
  return (
    <Page title={page?.Title ?? plugin} lead={t('page.lead', { plugin })}>
      <div class="stack">
        {all && all.length > 1 ? (
          <div class="session-choice">
            <SessionSelect
              label={t('inspector.session')}
              sessions={all}
              value={session}
              onSelect={(id) => setQuery({ session: id })}
            />
          </div>
        ) : null}
        <Loading of={pages}>{() => (page ? null : <Empty>{t('page.none', { plugin })}</Empty>)}</Loading>
        {page && all ? <Mounted key={session} page={page} session={session} /> : null}
      </div>
    </Page>
  )
}

function Mounted({ page, session }: { page: PluginPage; session: string }) {
  const place = useRef<HTMLDivElement>(null)
  const error = useSignal('')
  useEffect(() => {
    let isCurrent = true
    createElement(page, session).then(
      (element) => {
        if (isCurrent) place.current?.replaceChildren(element)
      },
      (failure: unknown) => {
        if (isCurrent) error.value = textOf(failure)
      },
    )
    return () => {
      isCurrent = false
    }
  }, [page.Script, session])
  return (
    <>
      {error.value ? <Notice kind="bad">{t('page.failed', { reason: error.value })}</Notice> : null}
      <div ref={place} class="card plugin-page" hidden={error.value !== ''} />
    </>
  )
}
