import type { Receive, Stage } from './stage.ts'

/**
 * Ends unanswered queries with an error like a refusal of the network with code 408. Unpatched Baileys resolves them with
 * undefined at their time-out (Socket/socket.js waitForMessage), which most callers handle as a reply: a number seems not
 * to be on the network, or an attribute of undefined is read.
 */
export function endUnansweredQueries(timeoutMs: number): Stage<Receive> {
  const timers = new Map<string, NodeJS.Timeout>()
  return (next) =>
    (event, ...args) => {
      // Each query listens for a reply with its own tag.
      const [reply] = args
      if (typeof reply === 'string' && reply.startsWith('TAG:')) {
        if (event === 'newListener') {
          const timer = setTimeout(() => next(reply, unanswered(reply)), timeoutMs)
          // Baileys keeps listening for the reply to a query that it could not send.
          timer.unref()
          timers.set(reply, timer)
        }
        if (event === 'removeListener') {
          clearTimeout(timers.get(reply))
          timers.delete(reply)
        }
      }
      return next(event, ...args)
    }
}

function unanswered(reply: string): object {
  const error = { tag: 'error', attrs: { code: '408', text: 'no answer in time' } }
  return { tag: 'iq', attrs: { id: reply.slice('TAG:'.length), type: 'error' }, content: [error] }
}
