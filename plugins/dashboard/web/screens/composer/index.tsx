import { useSignal } from '@preact/signals'
import { api, login, of, ROOT, textOf } from '../../api.ts'
import { Combobox } from '../../forms/combobox.tsx'
import { fitting } from '../../forms/fitting.ts'
import { SessionSelect } from '../../forms/session-select.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { isAdmin, type SessionName, useSessions } from '../../parts/sessions.ts'
import { useLoad } from '../../parts/use-load.ts'
import { withCode } from '../../parts/with-code.tsx'
import { query, setQuery, to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import './composer.css'
import { useEffect, useRef } from 'preact/hooks'
import { Copy } from '../../parts/copy.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { FieldForm } from './form.tsx'
import { compose } from './request.ts'
import { SNIPPETS, type SnippetLanguage, type SnippetParts } from './snippets.ts'
import { type ComposerOperation, readOperations } from './spec.ts'

/** Calls any operation through a form built from its schema. */
export default function Composer() {
  const operations = useLoad(readOperations)
  const sessions = useSessions()
  const { IsSandbox } = login.value ?? {}
  return (
    <Page title={t('composer.title')} lead={t('composer.lead')}>
      <div class="stack">
        <Notice kind={IsSandbox ? 'info' : 'warn'}>
          {t(IsSandbox ? 'composer.sandbox' : 'composer.live')}
        </Notice>
        <Loading of={operations}>
          {(all) => {
            const named = query.value.get('op') ?? 'POST /send/text'
            const operation = all.find(({ name }) => name === named) ?? all[0]
            return operation ? (
              <>
                <Choice all={all} operation={operation} />
                <Compose key={operation.name} operation={operation} sessions={sessions.data.value ?? []} />
              </>
            ) : null
          }}
        </Loading>
      </div>
    </Page>
  )
}

function Choice({ all, operation }: { all: readonly ComposerOperation[]; operation: ComposerOperation }) {
  const options = all.map(({ name, summary }) => ({ value: name, title: name, detail: summary }))
  return (
    <div class="composer-choice">
      <Field label={t('composer.operation')} hint={withCode(operation.description)}>
        {(ties) => (
          <Combobox
            ties={ties}
            label={t('composer.operation')}
            shown={`${operation.name} · ${operation.summary}`}
            find={(text) => {
              const fits = fitting(text)
              return options.filter(({ title, detail }) => fits([title, detail]))
            }}
            onPick={({ value }) => setQuery({ op: value })}
          />
        )}
      </Field>
    </div>
  )
}

function Compose({
  operation,
  sessions,
}: {
  operation: ComposerOperation
  sessions: readonly SessionName[]
}) {
  const texts = useSignal<Readonly<Record<string, string>>>({})
  const key = useSignal(newKey())
  const isChecked = useSignal(false)
  const isAsking = useSignal(false)
  const result = useSignal<Result | undefined>(undefined)
  const session = query.value.get('session') ?? (sessions.length === 1 ? (sessions[0]?.id ?? '') : '')
  const request = compose(operation, texts.value)
  const idempotencyKey = operation.isSend ? key.value : ''
  const isComplete = Object.keys(request.faults).length === 0 && (!operation.isOfSession || session !== '')

  async function run(): Promise<void> {
    isAsking.value = false
    result.value = undefined
    const began = performance.now()
    const headers = { ...(operation.isOfSession ? of(session).headers : {}) }
    const options = {
      headers,
      params: request.params,
      retry: false,
      ...(idempotencyKey ? { idempotencyKey } : {}),
    }
    try {
      const data = await api.call(
        toMethod(request.method),
        request.pattern,
        request.hasBody ? request.body : request.query,
        options,
      )
      result.value = { data, ms: performance.now() - began }
      key.value = newKey()
    } catch (failure) {
      result.value = { error: textOf(failure), ms: performance.now() - began }
    }
  }

  function submit(event: Event): void {
    event.preventDefault()
    isChecked.value = true
    if (!isComplete) return
    // Destructive operations need a confirmation.
    if (/^DELETE |\/(delete|logout|purge|remove|leave)/.test(operation.name)) isAsking.value = true
    else void run()
  }

  return (
    <div class="composer">
      <form class="card stack" onSubmit={submit} noValidate>
        <h2>{operation.summary}</h2>
        {operation.isOfSession && (isAdmin() || sessions.length !== 1) ? (
          <SessionSelect
            label={`${t('inspector.session')} *`}
            sessions={sessions}
            value={session}
            onSelect={(id) => setQuery({ session: id })}
          />
        ) : null}
        {isChecked.value && operation.isOfSession && !session ? (
          <Notice kind="bad">{t('deliveries.chooseSession')}</Notice>
        ) : null}
        <FieldForm
          fields={operation.fields}
          texts={texts.value}
          faults={request.faults}
          isChecked={isChecked.value}
          onChange={(name, text) => (texts.value = { ...texts.value, [name]: text })}
        />
        {operation.isSend ? (
          <Field label="Idempotency-Key" hint={t('composer.keyHint')}>
            {(ties) => (
              <span class="row composer-key">
                <input
                  {...ties}
                  class="mono"
                  value={key.value}
                  onInput={({ currentTarget }) => (key.value = currentTarget.value)}
                />
                <Button onPress={() => (key.value = newKey())}>{t('composer.newKey')}</Button>
              </span>
            )}
          </Field>
        ) : null}
        <div class="actions">
          <Button type="submit" kind="primary">
            {t(login.value?.IsSandbox ? 'composer.runSandbox' : 'composer.runLive')}
          </Button>
          <Button kind="quiet" onPress={() => (texts.value = examplesOf(operation))}>
            {t('composer.example')}
          </Button>
        </div>
      </form>
      <div class="stack">
        <Code parts={{ request, url: ROOT, isOfSession: operation.isOfSession, idempotencyKey }} />
        {result.value ? <Outcome result={result.value} session={session} isSend={operation.isSend} /> : null}
      </div>
      <Dialog
        title={t('composer.sure')}
        isOpen={isAsking.value}
        onClose={() => (isAsking.value = false)}
        actions={
          <Button kind="danger" onPress={run}>
            {t('composer.sureRun')}
          </Button>
        }
      >
        <p>{operation.summary}</p>
        <code>{operation.name}</code>
      </Dialog>
    </div>
  )
}

function examplesOf({ fields }: ComposerOperation): Record<string, string> {
  return Object.fromEntries(
    fields.filter(({ example }) => example).map(({ name, example }) => [name, example]),
  )
}

function toMethod(method: string) {
  const methods = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const
  return methods[method as keyof typeof methods]
}

/** Without `crypto.randomUUID`, which pages without TLS lack. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/** The request as code, in the chosen language. */
function Code({ parts }: { parts: SnippetParts }) {
  const chosen = useSignal<SnippetLanguage>('curl')
  const tabs = [
    { name: 'curl', title: 'curl' },
    { name: 'typescript', title: 'TypeScript' },
    { name: 'python', title: 'Python' },
  ]
  return (
    <section class="card composer-code" aria-label={t('composer.code')}>
      <Tabs
        label={t('composer.code')}
        tabs={tabs}
        selected={chosen.value}
        onSelect={(name) => (chosen.value = name as SnippetLanguage)}
      >
        <Copy text={SNIPPETS[chosen.value](parts)} isBlock />
      </Tabs>
    </section>
  )
}

interface Result {
  readonly data?: unknown
  readonly error?: string
  readonly ms: number
}

/** The gateway's answer, and a link to the result. */
function Outcome({ result, session, isSend }: { result: Result; session: string; isSend: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.scrollIntoView({ block: 'nearest' }), [result])
  const { Id } = (result.data ?? {}) as { Id?: unknown }
  return (
    <section class="card stack" aria-labelledby="composer-result">
      <h2 id="composer-result" ref={heading}>
        {t('composer.result')} <span class="muted">{numberOf(Math.round(result.ms))} ms</span>
      </h2>
      {result.error === undefined ? (
        <>
          <Notice kind="good">{t('composer.done')}</Notice>
          {isSend && typeof Id === 'string' ? (
            <a class="button" href={to(`/messages/${encodeURIComponent(session)}/${encodeURIComponent(Id)}`)}>
              {t('inspector.timeline')}
            </a>
          ) : null}
          <JsonView value={result.data} />
        </>
      ) : (
        <Notice kind="bad">{result.error}</Notice>
      )}
    </section>
  )
}
