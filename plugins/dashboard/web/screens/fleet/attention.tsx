import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, offers } from '../../api.ts'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { to } from '../../shell/navigate.ts'
import { t, textFor, timeOf } from '../../text.ts'

const readIssues = () => api.get('/issues')
type Issue = Awaited<ReturnType<typeof readIssues>>['Issues'][number]

const REFRESH_MS = 5_000
/** Lines shown at once: the sessions below should stay in sight. */
const SHOWN = 5
const NAMED = 3
/** Times in the reasons of the interface. */
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** What needs a person now: a line for each cause, with the button that leads to where it is mended. */
export function Attention({ isQuiet }: { isQuiet: boolean }) {
  return offers('issues') ? <Issues isQuiet={isQuiet} /> : null
}

/** @param isQuiet no line says that there is none */
function Issues({ isQuiet }: { isQuiet: boolean }) {
  const { data, error, reload } = useLoad(readIssues)
  const isWhole = useSignal(false)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [reload])
  if (!data.value) return error.value ? <Notice kind="bad">{error.value}</Notice> : null
  const { Issues: issues, Unanswered } = data.value
  const shown = isWhole.value ? issues : issues.slice(0, SHOWN)
  return (
    <section class="attention" aria-label={t('attention.title')}>
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
      {Unanswered.length > 0 ? (
        <Notice kind="warn">{t('attention.unanswered', { nodes: Unanswered.join(', ') })}</Notice>
      ) : null}
      <p class={issues.length > 0 ? 'sr-only' : 'attention-none'} role="status">
        {issues.length > 0
          ? t('attention.count', { count: issues.length })
          : isQuiet
            ? ''
            : t('attention.none')}
      </p>
      {issues.length > 0 ? (
        <div class="card attention-card">
          <h2>
            {t('attention.title')} <span class="attention-count">{issues.length}</span>
          </h2>
          <ul>
            {shown.map((issue) => (
              <Line key={`${issue.Cause} ${issue.Subject} ${issue.Count > 0}`} issue={issue} />
            ))}
          </ul>
          {issues.length > shown.length ? (
            <Button kind="quiet" onPress={() => (isWhole.value = true)}>
              {t('attention.more', { count: issues.length - shown.length })}
            </Button>
          ) : null}
        </div>
      ) : null}
    </section>
  )
}

function Line({ issue }: { issue: Issue }) {
  const { Cause, Level, Subject, Reason, Remedy, Request, Screen, Since, Waiting, Nodes } = issue
  // Checks and disks are those of one node.
  const nodes = Cause.startsWith('check-') || Cause.startsWith('disk-') ? Nodes : []
  const about = [namesOf(issue), Subject, ...nodes].filter(Boolean).join(' · ')
  return (
    <li class={`issue issue-${Level}`}>
      <div class="issue-text">
        <p>
          <strong>{textFor('attention', `cause_${Cause}`) ?? Cause}</strong> {about}
        </p>
        <p class="muted">{textFor('attention', `mend_${Cause}`) ?? Remedy}</p>
      </div>
      <p class="muted issue-facts">
        {Reason ? <span>{Reason.replace(TIME, (at) => timeOf(at))}</span> : null}
        {Waiting > 0 ? <span>{t('attention.waiting', { count: Waiting })}</span> : null}
        {Since ? (
          <span>
            <Ago at={Since} />
          </span>
        ) : null}
      </p>
      {Screen ? (
        <a class="button" href={to(Screen)}>
          {labelOf(Cause, Screen)}
        </a>
      ) : Request ? (
        <code>{Request}</code>
      ) : null}
    </li>
  )
}

function namesOf({ Sessions, Count }: Issue): string {
  const names = Sessions.slice(0, NAMED)
    .map(({ Id, Name }) => Name || Id)
    .join(', ')
  return Count > NAMED ? t('attention.others', { names, count: Count - NAMED }) : names
}

/** By the cause, or else by the screen. */
function labelOf(cause: string, screen: string): string {
  const [, part = ''] = /^\/(\w*)/.exec(screen) ?? []
  return (
    (part === 'link' ? textFor('attention', `open_${cause}`) : undefined) ??
    textFor('attention', `open_${part}`) ??
    t('attention.open')
  )
}
