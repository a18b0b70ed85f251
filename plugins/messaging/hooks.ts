import type { GatewaySignals, Socket } from 'wamux/plugin'

/** JSON that a hook adds to the event of a message, as `annotations.<plugin>`. */
export type Annotations = Readonly<Record<string, unknown>>

/** The content of a send, as for Baileys, or `{ proto }` for a finished message. */
export type SendContent = Awaited<ReturnType<Parameters<Socket['send']>[1]>>

/** A message that a client or a plugin wants to send, before it is stored. */
export interface OutgoingMessage {
  /** Id of the session. */
  readonly session: string
  /** JID of the chat. */
  readonly chat: string
  /** The route that was called, such as `/send/text`, or the name that a plugin gave. */
  readonly path: string
  readonly content: SendContent
}

/** What a hook decides about a send; nothing to leave it as it is. */
export interface SendDecision {
  /** Replaces the content. */
  readonly content?: SendContent
  /** Why it is not sent: the caller gets it in SEND_VETOED, and nothing is stored. */
  readonly veto?: string
  readonly annotations?: Annotations
}

/** How a send has ended. */
export interface SendOutcome {
  readonly session: string
  readonly chat: string
  /** Message id. */
  readonly id: string
  /** `unknown`: the network did not answer in time, and may have it. What comes later may correct both it and `failed`. */
  readonly state: 'sent' | 'failed' | 'unknown'
  /** The error's code where it was not sent, or may not have been; '' otherwise. */
  readonly code: string
  /** What `beforeSend` of all plugins has added, by plugin. */
  readonly annotations: Annotations
}

/** A message from someone else, before it is logged. */
export interface IncomingMessage {
  readonly session: string
  readonly chat: string
  /** JID of who wrote it. */
  readonly sender: string
  readonly id: string
  /** As the driver decoded it. */
  readonly message: GatewaySignals['message']['message']
}

/** What a hook decides about a message that came in. */
export interface IncomingDecision {
  readonly annotations?: Annotations
  /** It is not logged, and so no webhook and no consumer gets it; it counts as dropped by this plugin. */
  readonly isDropped?: boolean
}

type Hook<T, R> = (value: T) => R | undefined | void | Promise<R | undefined | void>

/**
 * Hooks around messages, as a plugin contributes them: `contributes: { messageHooks: (deps) => ({ beforeSend … }) }`.
 * They run in the order of their plugins (`before`, `after`), each with what the one before it has made.
 */
export interface MessageHooks {
  /**
   * Runs before a message is stored to be sent, and so once for each message that is accepted: not when it is sent again
   * after a crash, nor for a repeated id. An error that it throws is answered to the caller, and nothing is sent.
   */
  readonly beforeSend?: Hook<OutgoingMessage, SendDecision>
  /**
   * Runs when the outcome of a send is known, after a crash too, before the event `Message` or `SendFailed` is logged, and
   * again where a later one corrects it. It may run again for the same message until that event is stored. An error is logged, and changes nothing.
   */
  readonly afterSend?: Hook<SendOutcome, Pick<IncomingDecision, 'annotations'>>
  /**
   * Runs before the event `Message` of someone else's message is logged. The messages of the session wait for it: at most
   * 5 s, and only for what is local. It may run again for the same message until the event is stored. When it fails, the
   * message is logged as it is.
   */
  readonly onIncoming?: Hook<IncomingMessage, IncomingDecision>
}

export const HOOKS = ['beforeSend', 'afterSend', 'onIncoming'] as const satisfies (keyof MessageHooks)[]

declare module 'wamux/plugin' {
  interface GatewayContributions {
    messageHooks: MessageHooks
  }
}
