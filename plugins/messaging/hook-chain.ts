import {
  type GatewayServices,
  gatewayError,
  isStorageError,
  type Kernel,
  type Metric,
  reasonOf,
  type Sample,
  withTimeout,
} from 'wamux/plugin'
import type {
  Annotations,
  IncomingDecision,
  IncomingMessage,
  MessageHooks,
  OutgoingMessage,
  SendContent,
  SendOutcome,
} from './hooks.ts'

/** The hooks of all plugins, one after the other. Without such hooks, each method only checks an empty list. */
export interface MessageHookChain {
  /** The content to send, and additions to its event. Rejects SEND_VETOED, or with the error of a hook. */
  beforeSend(
    message: OutgoingMessage,
  ): Promise<{ content: SendContent; annotations: Annotations | undefined }>
  /** Additions to the event of the outcome, including those of `beforeSend`. */
  afterSend(outcome: SendOutcome): Promise<Annotations | undefined>
  onIncoming(message: IncomingMessage): Promise<{ annotations: Annotations | undefined; isDropped: boolean }>
  /** Number of messages dropped by each plugin since the start. */
  readonly dropped: ReadonlyMap<string, number>
  /** Number of sends vetoed by each plugin since the start. */
  readonly vetoed: ReadonlyMap<string, number>
}

/** How long the messages of a session wait for a hook. */
const LIMIT_MS = 5_000

type Deps = Pick<Kernel<unknown>, 'contributions' | 'log'> & {
  sessionSettings?: Pick<GatewayServices['sessionSettings'], 'isOn'> | undefined
}

export function createHookChain({ contributions, log, sessionSettings }: Deps): MessageHookChain {
  const dropped = new Map<string, number>()
  const vetoed = new Map<string, number>()
  const count = (counts: Map<string, number>, plugin: string): void =>
    void counts.set(plugin, (counts.get(plugin) ?? 0) + 1)

  /** The hooks with that name of the plugins enabled for the session. */
  function having<K extends keyof MessageHooks>(name: K, session: string) {
    return contributions('messageHooks').flatMap(({ plugin, value }) => {
      const run = value[name]
      return run && sessionSettings?.isOn(session, plugin) !== false ? [{ plugin, run }] : []
    })
  }

  /** Runs a hook whose failure must not affect the message. */
  async function attempt<T>(plugin: string, hook: string, run: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await withTimeout(Promise.resolve(run()), LIMIT_MS, () => {
        throw new Error(`it did not finish within ${LIMIT_MS / 1000} s`)
      })
    } catch (error) {
      // The signal is raised again once the storage answers.
      if (isStorageError(error)) throw error
      log.error({ of: plugin, hook, reason: reasonOf(error) }, 'message hook failed')
      return undefined
    }
  }

  return {
    dropped,
    vetoed,
    async beforeSend(message) {
      let { content } = message
      let annotations: Annotations | undefined
      for (const { plugin, run } of having('beforeSend', message.session)) {
        const decision = (await run({ ...message, content })) ?? {}
        if (decision.veto !== undefined) {
          count(vetoed, plugin)
          throw gatewayError('SEND_VETOED', [plugin, decision.veto])
        }
        content = decision.content ?? content
        annotations = added(annotations, plugin, decision)
      }
      return { content, annotations }
    },
    async afterSend(outcome) {
      let annotations = isEmpty(outcome.annotations) ? undefined : outcome.annotations
      for (const { plugin, run } of having('afterSend', outcome.session)) {
        const decision = await attempt(plugin, 'afterSend', () =>
          run({ ...outcome, annotations: annotations ?? {} }),
        )
        annotations = added(annotations, plugin, decision ?? {})
      }
      return annotations
    },
    async onIncoming(message) {
      let annotations: Annotations | undefined
      for (const { plugin, run } of having('onIncoming', message.session)) {
        const decision = (await attempt(plugin, 'onIncoming', () => run(message))) ?? {}
        if (decision.isDropped) {
          count(dropped, plugin)
          return { annotations, isDropped: true }
        }
        annotations = added(annotations, plugin, decision)
      }
      return { annotations, isDropped: false }
    },
  }
}

function added(
  all: Annotations | undefined,
  plugin: string,
  { annotations }: Pick<IncomingDecision, 'annotations'>,
): Annotations | undefined {
  if (!annotations || isEmpty(annotations)) return all
  return { ...all, [plugin]: { ...(all?.[plugin] as Annotations | undefined), ...annotations } }
}

function isEmpty(annotations: Annotations): boolean {
  return Object.keys(annotations).length === 0
}

export const metrics = ({ messageHookChain }: { messageHookChain: MessageHookChain }) =>
  ({
    wamux_messages_dropped_total: {
      type: 'counter',
      help: "Messages dropped by a plugin's hook before they were logged",
      collect: () => byPlugin(messageHookChain.dropped),
    },
    wamux_sends_vetoed_total: {
      type: 'counter',
      help: "Sends refused by a plugin's hook",
      collect: () => byPlugin(messageHookChain.vetoed),
    },
  }) satisfies Record<string, Metric>

function byPlugin(counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([plugin, value]) => ({ value, labels: { plugin } }))
}
