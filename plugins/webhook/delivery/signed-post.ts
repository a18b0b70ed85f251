import type { GatewayServices } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { SignedPost } from '../contract.ts'
import { JSON_HEADERS } from '../formats/native.ts'
import { sign } from '../formats/sign.ts'
import { commonHeaders } from './requests.ts'

interface Parts extends Pick<GatewayServices, 'httpClient'> {
  config: Pick<WebhookConfig, 'timeoutMs'>
}

/** Posts a request that is no delivery. Rejects with the reason unless the answer is 2xx. */
export async function postSigned(
  { httpClient, config: { timeoutMs } }: Parts,
  url: string,
  { id, body: text, secret, attempt }: SignedPost,
): Promise<void> {
  const now = Date.now()
  const body = Buffer.from(text)
  const headers = {
    ...JSON_HEADERS,
    ...commonHeaders({ id, now }, attempt),
    ...(secret ? sign(body, secret, { id, now, oldSecret: undefined }) : {}),
  }
  const { status } = await httpClient.post(url, { body, headers, timeoutMs })
  if (status < 200 || status >= 300) throw new Error(`status ${status}`)
}
