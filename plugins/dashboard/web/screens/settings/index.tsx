import { api, of } from '../../api.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { useSessions } from '../../parts/sessions.ts'
import { useLoad } from '../../parts/use-load.ts'
import { to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import type { ScreenProps } from '../screen-props.ts'
import { SettingsForm } from './form.tsx'

/** The per-session settings of plugins: one form per schema. */
export default function SettingsScreen({ params }: ScreenProps) {
  const { id = '' } = params
  const sessions = useSessions()
  const settings = useLoad(() => api.get('/session/settings', undefined, of(id)), [id])
  const name = sessions.data.value?.find((session) => session.id === id)?.name
  return (
    <Page
      title={t('settings.title')}
      lead={
        <>
          {t('settings.lead')} <a href={to(`/sessions/${encodeURIComponent(id)}`)}>{name || id}</a>
        </>
      }
    >
      <Loading of={settings}>
        {({ Settings }) =>
          Settings.length === 0 ? (
            <Empty>{t('settings.none')}</Empty>
          ) : (
            <div class="stack">
              {Settings.map((own) => (
                <SettingsForm key={own.Plugin} session={id} settings={own} />
              ))}
            </div>
          )
        }
      </Loading>
    </Page>
  )
}
