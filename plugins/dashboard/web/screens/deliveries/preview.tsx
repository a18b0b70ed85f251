import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { api, of, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Moment } from '../../parts/moment.tsx'
import { withNames } from '../../parts/people.ts'
import { useLoad } from '../../parts/use-load.ts'
import { t, textFor } from '../../text.ts'
import { type EndpointDraft, selectionOf, transformOf } from './draft.ts'

const PAUSE_MS = 300

type Row = Awaited<ReturnType<typeof readMatches>>[number]

/** Which of the newest events the webhook would receive, as its form stands. */
export function Preview({ session, draft }: { session: string; draft: EndpointDraft }) {
  const key = JSON.stringify([session, selectionOf(draft)])
  const [settled, settle] = useState(key)
  const shown = useSignal<Row | undefined>(undefined)
  useEffect(() => {
    // A request for each pause in typing, not for each letter.
    const timer = setTimeout(() => settle(key), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [key])
  const matches = useLoad(() => readMatches(session, draft), [settled])
  return (
    <section class="card stack preview" aria-labelledby="preview">
      <div>
        <h2 id="preview">{t('deliveries.preview')}</h2>
        <p class="hint">{t('deliveries.previewHint')}</p>
      </div>
      <Loading of={matches}>
        {(rows) => (
          <>
            <p role="status">
              <strong>
                {t('deliveries.passing', {
                  passing: rows.filter(({ Passes }) => Passes).length,
                  of: rows.length,
                })}
              </strong>
            </p>
            <ul class="matches">
              {rows.map((row) => (
                <li key={row.Id} class={row.Passes ? 'match' : 'match match-out'}>
                  <span class="match-mark" aria-hidden="true">
                    {row.Passes ? '✓' : '–'}
                  </span>
                  <span class="match-text">
                    <strong>{row.Type}</strong> <Moment at={row.Time} />
                    <span class="muted">{withNames(row.Session, row.Text || row.Chat)}</span>
                  </span>
                  {row.Passes ? (
                    <Button
                      kind="quiet"
                      label={t('deliveries.showRequestOf', { type: row.Type })}
                      onPress={() => (shown.value = row)}
                    >
                      {t('deliveries.showRequest')}
                    </Button>
                  ) : (
                    <span class="hint">{textFor('deliveries', `leftOut_${row.LeftOutBy}`)}</span>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loading>
      <Dialog
        title={t('deliveries.request')}
        isOpen={shown.value !== undefined}
        onClose={() => (shown.value = undefined)}
      >
        {shown.value ? <Requests row={shown.value} draft={draft} /> : null}
      </Dialog>
    </section>
  )
}

/** The requests for one event, unsigned. */
function Requests({ row, draft }: { row: Row; draft: EndpointDraft }) {
  const requests = useLoad(() => readRequests(row, draft), [row.Id])
  return (
    <Loading of={requests}>
      {(all) => (
        <>
          {all.map((text, at) => (
            <pre class="answer" key={at}>
              {text}
            </pre>
          ))}
        </>
      )}
    </Loading>
  )
}

async function readMatches(session: string, draft: EndpointDraft) {
  const selection = { ...selectionOf(draft), Limit: '20' }
  const { Events } = session
    ? await api.post('/webhook/preview/events', selection, of(session))
    : await api.post('/webhook/global/preview/events', selection)
  return Events
}

async function readRequests({ Id, Session }: Row, draft: EndpointDraft): Promise<string[]> {
  const { format: Format, edits, events } = draft
  try {
    const form = { Format, ...(edits ? { Edits: edits } : {}), Events: [...events] }
    const asked = { Id, ...form, Transform: transformOf(draft) }
    const { Requests: all } = await api.post('/webhook/preview', asked, of(Session))
    return all.map(({ Body }) => readable(Body))
  } catch (failure) {
    throw failure instanceof SyntaxError ? new Error(t('deliveries.notJson')) : new Error(textOf(failure))
  }
}

/** Base64 of a body: JSON with line breaks, or the text. */
function readable(body: string): string {
  const text = new TextDecoder().decode(Uint8Array.from(atob(body), (one) => one.charCodeAt(0)))
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
