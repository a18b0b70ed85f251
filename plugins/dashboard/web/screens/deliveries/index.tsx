import { Page } from '../../parts/page.tsx'
import { isAdmin, useSessions } from '../../parts/sessions.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { go, query, to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import type { ScreenProps } from '../screen-props.ts'
import './deliveries.css'
import '../message/message.css'
import { Failures } from './failures.tsx'
import { WebhookForm } from './form.tsx'
import { placeOf } from './place.ts'
import { Webhooks } from './webhooks.tsx'

const TABS = ['webhooks', 'failures'] as const

/** Webhooks with their deliveries, what failed over all of them, and the form of one. */
export default function Deliveries({ params }: ScreenProps) {
  const sessions = useSessions().data.value ?? []
  const session = query.value.get('session') ?? (isAdmin() ? '' : (sessions[0]?.id ?? ''))
  const { rest0 = '' } = params
  if (rest0 === 'new' || rest0 === 'edit')
    return (
      <WebhookForm
        key={`${session} ${query.value.get('endpoint')}`}
        session={session}
        sessions={sessions}
        {...(rest0 === 'edit' ? { endpoint: query.value.get('endpoint') ?? 'main' } : {})}
      />
    )
  const tab = TABS.find((one) => one === rest0) ?? 'webhooks'
  return (
    <Page
      title={t('deliveries.title')}
      lead={t('deliveries.lead')}
      actions={
        <a class="button button-primary" href={to(`/deliveries/new?${placeOf(session)}`)}>
          {t('deliveries.add')}
        </a>
      }
    >
      <Tabs
        label={t('deliveries.title')}
        tabs={TABS.map((name) => ({ name, title: t(`deliveries.tab_${name}`) }))}
        selected={tab}
        onSelect={(name) => go(tabOf(name, query.value.get('session') ?? ''))}
      >
        {tab === 'webhooks' ? (
          <Webhooks session={session} sessions={sessions} />
        ) : (
          <Failures sessions={sessions} />
        )}
      </Tabs>
    </Page>
  )
}

/** The chosen session stays chosen on the other tab. */
function tabOf(name: string, session: string): string {
  const path = name === 'webhooks' ? '/deliveries' : `/deliveries/${name}`
  return session ? `${path}?${placeOf(session)}` : path
}
