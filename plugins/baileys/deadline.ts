import type { WASocket } from '@whiskeysockets/baileys'

/**
 * Ends queries that nobody answers with an error, as a refusal of the network with code 408. Left to itself Baileys
 * resolves them undefined when their time is over (Socket/socket.js waitForMessage), which most of its callers take
 * for an answer: they find nobody under a number, or read an attribute of nothing.
 */
export function endQueries(wa: WASocket, timeoutMs: number): void {
  const timers = new Map<string, NodeJS.Timeout>()
  // Each query listens for the answer with its own tag.
  wa.ws.on('newListener', (event: string) => {
    if (!event.startsWith('TAG:')) return
    const id = event.slice('TAG:'.length)
    const end = (): void => {
      const error = { tag: 'error', attrs: { code: '408', text: 'no answer in time' } }
      wa.ws.emit(event, { tag: 'iq', attrs: { id, type: 'error' }, content: [error] })
    }
    timers.set(event, setTimeout(end, timeoutMs))
  })
  wa.ws.on('removeListener', (event: string) => {
    clearTimeout(timers.get(event))
    timers.delete(event)
  })
}
