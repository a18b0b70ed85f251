import { api, ROOT } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t } from '../../text.ts'

interface Setting {
  readonly Name: string
  readonly Description: string
  readonly Default: string
  readonly Value: string
  readonly IsChanged: boolean
}

interface Plugin {
  readonly Name: string
  readonly Version: string
  readonly State: string
  readonly Error?: string
  readonly TranslatorFailures: number
  readonly Settings: readonly Setting[]
}

export default function PluginsScreen() {
  const plugins = useLoad(readPlugins)
  return (
    <Page title={t('plugins.title')} lead={t('plugins.lead')}>
      <Loading of={plugins}>
        {(list) => (
          <div class="stack">
            {list.map((plugin) => (
              <PluginCard key={plugin.Name} plugin={plugin} />
            ))}
          </div>
        )}
      </Loading>
      <p class="hint">
        <a href={`${ROOT}/docs`}>{t('plugins.docs')}</a>
      </p>
    </Page>
  )
}

/** By name: the gateway lists them in the order in which it starts them. */
async function readPlugins(): Promise<Plugin[]> {
  const plugins = await api.call<Plugin[]>('get', '/server/plugins')
  return plugins.sort((a, b) => a.Name.localeCompare(b.Name))
}

function PluginCard({
  plugin: { Name, Version, State, Error: why, TranslatorFailures, Settings },
}: {
  plugin: Plugin
}) {
  return (
    <section class="card stack" aria-labelledby={`plugin-${Name}`}>
      <div class="row">
        <h2 id={`plugin-${Name}`}>{Name}</h2>
        <span class="muted mono">{Version}</span>
        <Badge tone={State === 'ready' ? 'good' : 'bad'}>{State}</Badge>
        {TranslatorFailures > 0 ? (
          <Badge tone="bad">{t('plugins.failures', { count: TranslatorFailures })}</Badge>
        ) : null}
      </div>
      {why ? <p>{why}</p> : null}
      {Settings.length > 0 ? (
        <details>
          <summary>{t('plugins.settings', { count: Settings.length })}</summary>
          <dl class="facts">
            {Settings.map((setting) => (
              <SettingRow key={setting.Name} setting={setting} />
            ))}
          </dl>
        </details>
      ) : null}
    </section>
  )
}

function SettingRow({ setting: { Name, Description, Value, IsChanged } }: { setting: Setting }) {
  return (
    <>
      <dt>
        <code>{Name}</code>
      </dt>
      <dd>
        <code>{Value || (IsChanged ? t('plugins.hidden') : '–')}</code>{' '}
        {IsChanged ? <Badge tone="info">{t('plugins.changed')}</Badge> : null}
        <br />
        <span class="muted">{Description}</span>
      </dd>
    </>
  )
}
