/** Outcomes that are being stored, of all links of the process: the request is answered already, and readers wait for them. */
export interface UnstoredOutcomes {
  add(session: string, id: string, stored: Promise<unknown>): void
  /** Resolves when the outcome of that message is stored, or can't be. */
  settled(session: string, id: string): Promise<unknown>
}

export function createUnstoredOutcomes(): UnstoredOutcomes {
  const all = new Map<string, Promise<unknown>>()
  const nameOf = (session: string, id: string): string => `${session} ${id}`
  return {
    add(session, id, stored) {
      const name = nameOf(session, id)
      const ended = (): void => void all.delete(name)
      all.set(name, stored.then(ended, ended))
    },
    settled: async (session, id) => all.get(nameOf(session, id)),
  }
}
