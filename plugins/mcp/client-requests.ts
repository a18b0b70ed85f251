import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** Requests from this server to clients, which answer in separate HTTP requests. */
export interface ClientRequests {
  /** Calls `answered` with the owner's answer to that id; returns a function that ends the wait. */
  expect(owner: string, id: string, answered: (answer: JSONRPCMessage) => void): () => void
  /** Delivers an answer; false if nothing waits for it. */
  answer(owner: string, answer: JSONRPCMessage): boolean
}

export function createClientRequests(): ClientRequests {
  const open = new Map<string, (answer: JSONRPCMessage) => void>()
  const nameOf = (owner: string, id: unknown): string => JSON.stringify([owner, id])
  return {
    expect(owner, id, answered) {
      const name = nameOf(owner, id)
      open.set(name, answered)
      return () => void open.delete(name)
    },
    answer(owner, answer) {
      const name = nameOf(owner, 'id' in answer ? answer.id : undefined)
      const answered = open.get(name)
      open.delete(name)
      answered?.(answer)
      return answered !== undefined
    },
  }
}
