import { randomInt } from 'node:crypto'
import { type GatewayServices, gatewayError, reasonOf } from 'wamux/plugin'

/**
 * Makes the receiver prove that it expects these webhooks, like Graph: it must answer with 200 and the challenge. Rejects
 * CLOUD_CALLBACK_FAILED.
 */
export async function verifyCallback(
  httpClient: GatewayServices['httpClient'],
  address: string,
  token: string,
  timeoutMs: number,
): Promise<void> {
  const challenge = String(randomInt(100_000_000, 2_000_000_000))
  const url = new URL(address)
  url.searchParams.set('hub.mode', 'subscribe')
  url.searchParams.set('hub.challenge', challenge)
  url.searchParams.set('hub.verify_token', token)
  const answer = await httpClient
    .download(url.href, { maxBytes: 1024, timeoutMs })
    .catch((cause: unknown) => {
      throw gatewayError('CLOUD_CALLBACK_FAILED', [reasonOf(cause)], { cause })
    })
  if (answer.bytes.toString().trim() !== challenge)
    throw gatewayError('CLOUD_CALLBACK_FAILED', ['the answer is not the value of hub.challenge'])
}
