import { get, type IncomingMessage } from 'node:http'
import { eventually } from '../eventually.ts'

/** A client of `GET /events/stream`. */
export interface EventStream {
  /** Resolves with all text so far when it fits. */
  until(fits: (text: string) => boolean): Promise<string>
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>
  close(): void
}

export function openEventStream(url: string, headers: Record<string, string>): EventStream {
  let text = ''
  let response: IncomingMessage | undefined
  const request = get(url, { headers })
  const ended = new Promise<void>((resolve) => {
    request.on('response', (incoming) => {
      response = incoming
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      incoming.on('close', resolve)
    })
    request.on('error', () => resolve())
  })
  return {
    ended,
    async until(fits) {
      await eventually(async () => fits(text), 'the stream shows it')
      return text
    },
    close: () => void (response ?? request).destroy(),
  }
}
