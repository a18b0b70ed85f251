import type { GatewaySignals, Socket } from 'wamux/plugin'

/** JSON that a hook adds to the event of a message, as `annotations.<plugin>`. */
export type Annotations = Readonly<Record<string, unknown>>

/** The content of a send in Baileys' form, or `{ proto }` for a finished message. */
export type SendContent = Awaited<ReturnType<Parameters<Socket['send']>[1]>>

/** A message that a client or a plugin wants to send, before it is stored. */
export interface OutgoingMessage {
  /** Id of the session. */
  readonly session: string
  /** JID of the chat. */
  readonly chat: string
  /** The called route, for example `/send/text`, or a name given by a plugin. */
  readonly path: string
  readonly content: SendContent
}

/** A hook's decision about a send; nothing leaves it unchanged. */
export interface SendDecision {
  /** Replaces the content. */
  readonly content?: SendContent
  /** Why it is not sent: the caller receives it in SEND_VETOED, and nothing is stored. */
  readonly veto?: string
  readonly annotations?: Annotations
}

/** The outcome of a send. */
export interface SendOutcome {
  readonly session: string
  readonly chat: string
  /** Message id. */
  readonly id: string
  /** `unknown`: the network did not answer in time and may have it. A later outcome may correct both this and `failed`. */
  readonly state: 'sent' | 'failed' | 'unknown'
  /** The error's code if it was not sent, or possibly not; '' otherwise. */
  readonly code: string
  /** Additions by `beforeSend` of all plugins, by plugin. */
  readonly annotations: Annotations
}

/** A message from someone else, before it is logged. */
export interface IncomingMessage {
  readonly session: string
  readonly chat: string
  /** JID of the author. */
  readonly sender: string
  readonly id: string
  /** As decoded by the driver. */
  readonly message: GatewaySignals['message']['message']
  /** It would change a message of somebody else, and its sender may not: it is logged as `other`, and changes nothing. */
  readonly isRefused: boolean
}

/** A hook's decision about an incoming message. */
export interface IncomingDecision {
  readonly annotations?: Annotations
  /** It is not logged, so no webhook and no consumer receives it; it counts as dropped by this plugin. */
  readonly isDropped?: boolean
}

type Hook<T, R> = (value: T) => R | undefined | void | Promise<R | undefined | void>

/**
 * Hooks around messages, as contributed by a plugin: `contributes: { messageHooks: (deps) => ({ beforeSend … }) }`.
 * They run in the order of their plugins (`before`, `after`), each with the result of the previous one.
 */
export interface MessageHooks {
  /**
   * Runs before a message is stored for sending, so once per accepted message: not when it is resent after a crash, nor for
   * a repeated id. A thrown error is returned to the caller, and nothing is sent.
   */
  readonly beforeSend?: Hook<OutgoingMessage, SendDecision>
  /**
   * Runs when the outcome of a send is known, even after a crash, before the event `Message` or `SendFailed` is logged, and
   * again if a later outcome corrects it. It may run again for the same message until that event is stored. An error is
   * logged and has no effect.
   */
  readonly afterSend?: Hook<SendOutcome, Pick<IncomingDecision, 'annotations'>>
  /**
   * Runs before the event `Message` of someone else's message is logged. The messages of the session wait for it: at most 5
   * s, so do only local work. It may run again for the same message until the event is stored. If it fails, the message is
   * logged unchanged.
   */
  readonly onIncoming?: Hook<IncomingMessage, IncomingDecision>
}

export const HOOKS = ['beforeSend', 'afterSend', 'onIncoming'] as const satisfies (keyof MessageHooks)[]

declare module 'wamux/plugin' {
  interface GatewayContributions {
    messageHooks: MessageHooks
  }
}
