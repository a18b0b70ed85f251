import { Moment } from '../../parts/moment.tsx'
import { withNames } from '../../parts/people.ts'
import { numberOf, t, textFor } from '../../text.ts'

export interface Step {
  readonly Step: string
  readonly At: string
  readonly Clock: string
  readonly By?: string
  readonly Details?: string
}

/** A timeline: each step, its time, and the time since the previous one. */
export function Steps({ steps, session }: { steps: readonly Step[]; session: string }) {
  return (
    <ol class="steps">
      {steps.map((step, at) => (
        <li key={`${step.Step} ${step.By ?? ''} ${step.At}`} class={`step step-${toneOf(step)}`}>
          <div class="step-line">
            <strong>{textFor('message', `step_${step.Step}`) ?? step.Step}</strong>
            <span class="mono">
              <StepTime {...step} />
            </span>
            <span class="muted">{at === 0 ? '' : since(steps[at - 1], step)}</span>
          </div>
          {step.By ? (
            <span class="muted" title={step.By}>
              {withNames(session, step.By)}
            </span>
          ) : null}
          {step.Details ? <span class="hint-bad">{step.Details}</span> : null}
        </li>
      ))}
    </ol>
  )
}

function toneOf({ Step }: Step): string {
  if (Step === 'failed' || Step === 'undecryptable') return 'bad'
  return ['delivered', 'read', 'played'].includes(Step) ? 'good' : 'plain'
}

/** The network's times have whole seconds. */
function StepTime({ At, Clock }: Step) {
  if (Clock !== 'network') return <Moment at={At} to="milliseconds" />
  return (
    <>
      <Moment at={At} to="seconds" /> {t('message.networkClock')}
    </>
  )
}

/** Times of two clocks are not compared by parts of a second. */
function since(before: Step | undefined, { At, Clock }: Step): string {
  if (!before) return ''
  const ms = Date.parse(At) - Date.parse(before.At)
  if (before.Clock !== Clock || Clock === 'network') {
    const seconds = Math.max(0, Math.round(ms / 1000))
    return seconds === 0 ? '' : `+${numberOf(seconds)} s`
  }
  return ms < 1_000 ? `+${numberOf(ms)} ms` : `+${numberOf(ms / 1000, { maximumFractionDigits: 1 })} s`
}
