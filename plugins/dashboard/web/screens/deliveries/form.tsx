import { useSignal } from '@preact/signals'
import { textOf } from '../../api.ts'
import { SessionSelect } from '../../forms/session-select.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { isAdmin, type SessionName } from '../../parts/sessions.ts'
import { useLoad } from '../../parts/use-load.ts'
import { readOffer, saveWebhook, type Webhook } from '../../parts/webhooks.ts'
import { go, setQuery, to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { BodyFields } from './body-fields.tsx'
import { ClassFields } from './class-fields.tsx'
import { draftOf, type EndpointDraft, fieldsOf } from './draft.ts'
import { FilterFields } from './filter-fields.tsx'
import { HeaderFields } from './header-fields.tsx'
import type { Offer } from './part.ts'
import { placeOf } from './place.ts'
import { Preview } from './preview.tsx'

export interface WebhookFormProps {
  /** '' for a webhook of all sessions. */
  session: string
  sessions: readonly SessionName[]
  /** Id of the webhook to change; a new one when absent. */
  endpoint?: string
}

/** Adds a webhook or changes one: its events with a preview, and the form of its requests. */
export function WebhookForm({ session, sessions, endpoint }: WebhookFormProps) {
  const offer = useLoad(() => readOffer(session), [session])
  const isNew = endpoint === undefined
  return (
    <Page
      title={t(isNew ? 'deliveries.add' : 'deliveries.editTitle')}
      lead={<a href={to(`/deliveries?${placeOf(session)}`)}>← {t('deliveries.title')}</a>}
    >
      <Loading of={offer}>
        {(known) => {
          const webhook = known.webhooks.find(({ id }) => id === endpoint)
          if (!isNew && !webhook) return <Empty>{t('deliveries.gone')}</Empty>
          return <Form key={session} session={session} sessions={sessions} offer={known} webhook={webhook} />
        }}
      </Loading>
    </Page>
  )
}

interface FormProps {
  session: string
  sessions: readonly SessionName[]
  offer: Offer
  webhook: Webhook | undefined
}

/** Fields of the interface whose part of the form shows their refusal. */
const SHOWN = ['URL', 'Filter', 'Headers', 'Transform', 'Edits', 'Events', 'Format']

function Form({ session, sessions, offer, webhook }: FormProps) {
  const draft = useSignal(draftOf(webhook))
  const errors = useSignal<Readonly<Record<string, string>>>({})
  const secret = useSignal<string | undefined>(undefined)
  const change = (fields: Partial<EndpointDraft>): void => {
    draft.value = { ...draft.value, ...fields }
  }
  const back = `/deliveries?${placeOf(session, webhook?.id)}`

  async function save(): Promise<void> {
    errors.value = {}
    try {
      const fields = fieldsOf(draft.value, session === '')
      const isFirst = session !== '' && !offer.webhooks.some(({ id }) => id === 'main')
      const id = webhook?.id ?? (isFirst ? 'main' : undefined)
      const made = await saveWebhook(session, id, draft.value.url.trim(), fields)
      if (made) secret.value = made
      else go(back)
    } catch (failure) {
      errors.value = errorsOf(failure)
    }
  }

  if (secret.value)
    return (
      <section class="card stack webhook-secret">
        <h2>{draft.value.url}</h2>
        <Notice kind="good">{t('deliveries.added')}</Notice>
        <Copy text={secret.value} isBlock />
        <div class="actions">
          <a class="button button-primary" href={to(back)}>
            {t('deliveries.done')}
          </a>
        </div>
      </section>
    )
  const parts = { draft: draft.value, onChange: change, offer, errors: errors.value }
  return (
    <div class="webhook-columns">
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <section class="card stack">
          {!webhook && (isAdmin() || sessions.length > 1) ? (
            <SessionSelect
              label={t('deliveries.of')}
              sessions={sessions}
              value={session}
              onSelect={(id) => setQuery({ session: id })}
              {...(isAdmin() ? { all: t('deliveries.global') } : {})}
            />
          ) : null}
          <Field label={t('deliveries.url')} error={errors.value['URL'] ?? ''} hint={t('deliveries.urlHint')}>
            {(ties) => (
              <input
                {...ties}
                type="url"
                required
                maxLength={2048}
                placeholder="https://example.com/hook"
                value={draft.value.url}
                onInput={({ currentTarget }) => change({ url: currentTarget.value })}
              />
            )}
          </Field>
        </section>
        <ClassFields {...parts} />
        <FilterFields {...parts} />
        <BodyFields {...parts} isGlobal={session === ''} />
        <HeaderFields {...parts} known={webhook?.headers ?? []} />
        {errors.value[''] ? <Notice kind="bad">{errors.value['']}</Notice> : null}
        <div class="actions webhook-save">
          <Button type="submit" kind="primary">
            {t(webhook ? 'deliveries.save' : 'deliveries.add')}
          </Button>
          <a class="button" href={to(back)}>
            {t('shell.cancel')}
          </a>
        </div>
      </form>
      <Preview session={session} draft={draft.value} />
    </div>
  )
}

/** By field; '' for one that no part of the form shows. */
function errorsOf(failure: unknown): Record<string, string> {
  if (failure instanceof SyntaxError) return { Transform: `${t('deliveries.notJson')} ${failure.message}` }
  const text = textOf(failure)
  const [, field = '', why = text] = /Invalid ([A-Z][\w.-]*): (.*)$/s.exec(text) ?? []
  const root = field === 'WebhookURL' ? 'URL' : (field.split('.')[0] ?? '')
  if (!SHOWN.includes(root)) return { '': text }
  return { [root]: field.includes('.') ? `${field.slice(root.length + 1)}: ${why}` : why }
}
