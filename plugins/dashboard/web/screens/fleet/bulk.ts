import { batch, type Signal, signal } from '@preact/signals'
import { api, of, textOf } from '../../api.ts'
import { t } from '../../text.ts'
import { type Summary, titleOf } from './summary.ts'

export type BulkAction = 'restart' | 'stop' | 'label' | 'webhook' | 'link' | 'delete'

/** What some actions need to know. */
export interface Input {
  readonly name: string
  readonly value: string
}

export interface Failure {
  readonly session: Summary
  readonly reason: string
}

/** One action on many sessions. */
export interface Run {
  readonly action: BulkAction
  readonly input: Input
  readonly total: number
  readonly done: Signal<number>
  readonly failures: Signal<readonly Failure[]>
  /** What the gateway shows only once: a secret or a link for a session. */
  readonly given: Signal<readonly (readonly [name: string, text: string])[]>
  readonly isOver: Signal<boolean>
  /** What runs already is finished. */
  cancel(): void
}

/** Each takes a connection of the browser, which has six to one address, and the screen needs some itself. */
const AT_ONCE = 3

/** What an action does to one session; resolves to what the gateway shows only once. */
const ACTS: Readonly<Record<BulkAction, (session: Summary, input: Input) => Promise<string | undefined>>> = {
  async restart({ Id, JID, State }) {
    if (!JID) throw new Error(t('fleet.notLinked'))
    if (State !== 'offline') await api.post('/session/disconnect', undefined, of(Id))
    await api.post('/session/connect', {}, of(Id))
    return undefined
  },
  async stop({ Id, State }) {
    if (State !== 'offline') await api.post('/session/disconnect', undefined, of(Id))
    return undefined
  },
  async label({ Id, Labels }, { name, value }) {
    const { [name]: _, ...others } = Labels
    await api.post('/session/update', { Labels: value ? { ...others, [name]: value } : others }, of(Id))
    return undefined
  },
  webhook: async ({ Id }, { value }) => (await api.post('/webhook', { WebhookURL: value }, of(Id))).Secret,
  link: async ({ Id }) => (await api.post('/session/link-page', {}, of(Id))).Url,
  async delete({ Id }) {
    await api.post('/session/delete', { Id })
    return undefined
  },
}

/** Begins at once, a few sessions at a time; a failure does not stop the others. */
export function run(action: BulkAction, sessions: readonly Summary[], input: Input): Run {
  const done = signal(0)
  const failures: Run['failures'] = signal([])
  const given: Run['given'] = signal([])
  const isOver = signal(false)
  const waiting = [...sessions]

  async function work(): Promise<void> {
    for (let session = waiting.shift(); session; session = waiting.shift()) {
      const one = session
      const result = await ACTS[action](one, input).then(
        (text) => ({ text, reason: '' }),
        (error: unknown) => ({ text: undefined, reason: textOf(error) }),
      )
      batch(() => {
        done.value += 1
        if (result.reason) failures.value = [...failures.value, { session: one, reason: result.reason }]
        if (result.text) given.value = [...given.value, [titleOf(one), result.text]]
      })
    }
  }

  void Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => {
    isOver.value = true
  })
  return {
    ...{ action, input, total: sessions.length, done, failures, given, isOver },
    cancel: () => void waiting.splice(0),
  }
}
