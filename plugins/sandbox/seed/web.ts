import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { SAMPLES } from 'wamux/messaging'
import { createCertificates } from '../network/transport/authority.ts'

/** The host in the links and webhooks of the examples. Its top-level domain is reserved, so no resolver knows it. */
export const WEB_HOST = 'shop.example'

export interface Web {
  readonly port: number
  readonly ca: string
  close(): void
}

/** Files for sends by link. */
const FILES: Readonly<Record<string, string>> = {
  '/picture.png': SAMPLES.picture,
  '/voice.ogg': SAMPLES.voice,
  '/video.mp4': SAMPLES.video,
}

/** Serves the files on loopback over https, and accepts all webhooks. */
export async function openWeb(): Promise<Web> {
  const { ca, key, cert } = await createCertificates([WEB_HOST])
  const server = createServer({ key, cert }, answer)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  // It must not keep the process running if the start is aborted.
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    ca,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', `https://${WEB_HOST}`)
  request.resume()
  if (request.method === 'POST') {
    request.once('end', () => response.writeHead(200).end())
    return
  }
  const [, mimetype = '', data = ''] = /^data:([^;]+);base64,(.*)$/.exec(FILES[pathname] ?? '') ?? []
  // The verification request of Cloud API webhooks.
  const challenge = searchParams.get('hub.challenge')
  if (data) response.writeHead(200, { 'content-type': mimetype }).end(Buffer.from(data, 'base64'))
  else
    response.writeHead(challenge === null ? 404 : 200, { 'content-type': 'text/plain' }).end(challenge ?? '')
}
