import type { Send, Stage } from './stage.ts'

export interface BarrierParts {
  /** Resolves when the writes queued so far are committed; rejects if one failed. */
  settled(): Promise<void>
  onFailure(error: unknown): void
}

/**
 * Holds every frame until all earlier writes are committed: credentials before the answer to a pairing, prekeys before
 * their upload, plaintexts before their receipt. If the database stalls, so does sending; if it fails, the link is closed
 * and nothing more is sent.
 */
export function holdFramesUntilCommit({ settled, onFailure }: BarrierParts): Stage<Send> {
  let tail: Promise<void> = Promise.resolve()
  let isFailed = false
  return (next) => (frame) => {
    const committed = settled()
    tail = tail
      .then(() => committed)
      .then(() => {
        if (!isFailed) next(frame)
      })
      .catch((error: unknown) => {
        isFailed = true
        onFailure(error)
      })
  }
}
