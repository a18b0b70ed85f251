const running = new Map<string, Promise<unknown>>()

/** Work under the same key, one after the other. */
export async function serialize<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = running.get(key) ?? Promise.resolve()
  const mine = before.catch(() => undefined).then(work)
  running.set(key, mine)
  try {
    return await mine
  } finally {
    if (running.get(key) === mine) running.delete(key)
  }
}
