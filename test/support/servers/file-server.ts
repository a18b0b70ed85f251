import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FileServer {
  /** Without a slash behind it. */
  readonly url: string
  /** Paths that were asked for, oldest first. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A web server on a free port that answers each path as told; others with 404. */
export async function startFileServer(answers: Readonly<Record<string, Answer>>): Promise<FileServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = answers[path]
    if (answer) answer(response, request)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers a file, its length announced. */
export const give =
  (base64: string, type: string): Answer =>
  (response) => {
    const bytes = Buffer.from(base64, 'base64')
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes)
  }
