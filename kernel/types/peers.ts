/** Wake-ups between the processes that share the database. Nothing may depend on the arrival of one. */
export interface Peers {
  /** Whether no other process may use the database. */
  readonly isAlone: boolean
  /** Wakes the listeners of the topic in every process, including this one. */
  notify(topic: string): void
  /** Calls `listener` when a process notifies and when notifications may have been lost; returns the function that stops it. */
  listen(topic: string, listener: () => void): () => void
  /** For the plugin that shares the database: `send` carries the topics to every process, including this one. */
  connect(send: (topics: readonly string[]) => void): void
  /** For the plugin that shares the database: reports arrived notifications; without topics, some may have been lost. */
  arrived(topics?: readonly string[]): void
}
