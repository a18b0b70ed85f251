import { createHmac } from 'node:crypto'
import { type GatewayServices, reasonOf } from 'wamux/plugin'
import type { Hook } from './hooks.ts'

/** Why a body was not accepted; `isDown`: the receiver is not there, whatever the body is. */
export interface Failure {
  readonly reason: string
  readonly isDown: boolean
}

/** Posts one body, signed; resolves with undefined once it is accepted (2xx). */
export async function post(
  httpClient: GatewayServices['httpClient'],
  { url, secret }: Hook,
  body: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const bytes = Buffer.from(body)
  const signature = createHmac('sha256', secret).update(bytes).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'wamux',
    'x-hub-signature-256': `sha256=${signature}`,
  }
  try {
    const { status } = await httpClient.post(url, { body: bytes, headers, timeoutMs, signal })
    if (status >= 200 && status < 300) return undefined
    return { reason: `status ${status}`, isDown: [429, 502, 503, 504].includes(status) }
  } catch (error) {
    return { reason: reasonOf(error), isDown: true }
  }
}
