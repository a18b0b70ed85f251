/** Interval of checks whether the gateway answers again. */
const LOOK_MS = 1_000
/** If a part fails to load again within this time, an upgrade is not the reason. */
const LOOP_MS = 15_000
const RELOADED = 'wamux-reloaded'

export interface PartOptions {
  /** Called when the part must wait for the gateway. */
  onWait?(): void
  /** Ends the waiting when the part is no longer wanted. */
  signal?: AbortSignal
}

/**
 * Loads a part of the page from its own file. While the gateway is away it waits, then retries; if that does not help, the
 * document is reloaded at the same place: after an upgrade the files have other names, and a browser may remember a failed
 * load. Rejects if a new document has not helped either.
 */
export async function loadPart<T>(load: () => Promise<T>, { onWait, signal }: PartOptions = {}): Promise<T> {
  try {
    return await load()
  } catch (error) {
    onWait?.()
    await answered(signal)
    return load().catch(() => loadAnew(error))
  }
}

/** Resolves when the gateway serves the document. */
async function answered(signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const answer = await fetch(document.baseURI, { cache: 'no-store' }).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function loadAnew(error: unknown): Promise<never> {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0)
  if (Date.now() - last < LOOP_MS) throw error
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
  // The page ends here.
  return new Promise(() => undefined)
}
