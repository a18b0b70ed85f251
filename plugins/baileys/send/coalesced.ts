/** Runs `work` once for all calls that come before it begins, and after the run that is under way. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined
        current = work()
        return current
      })
    return next
  }
}
