import type { Receive, Stage } from './stage.ts'

/**
 * Ends queries that nobody answers with an error, as a refusal of the network with code 408. Left to itself Baileys
 * resolves them undefined when their time is over (Socket/socket.js waitForMessage), which most of its callers take
 * for an answer: they find nobody under a number, or read an attribute of nothing.
 */
export function endUnansweredQueries(timeoutMs: number): Stage<Receive> {
  const timers = new Map<string, NodeJS.Timeout>()
  return (next) =>
    (event, ...args) => {
      // Each query listens for the reply with its own tag.
      const [reply] = args
      if (typeof reply === 'string' && reply.startsWith('TAG:')) {
        if (event === 'newListener')
          timers.set(
            reply,
            setTimeout(() => next(reply, unanswered(reply)), timeoutMs),
          )
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
