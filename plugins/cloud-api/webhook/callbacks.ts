import { randomBytes, randomInt } from 'node:crypto'
import { type GatewayServices, gatewayError, reasonOf, type Session } from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { FORMAT } from './format.ts'

export interface NewCallback {
  readonly url: string
  readonly verifyToken: string
  /** When absent: the existing one, the configured one, or a random one. */
  readonly secret?: string | undefined
}

/** The webhooks that clients of the Cloud API register for sessions: each is one endpoint of the plugin webhook. */
export interface Callbacks {
  /** '' without one. */
  urlOf(session: Session): string
  /**
   * Verifies the address first. Resolves with the secret if it was generated. Rejects FIELD_INVALID and
   * CLOUD_CALLBACK_FAILED, changing nothing.
   */
  set(session: Session, callback: NewCallback): Promise<string | undefined>
}

/** Name of the session's endpoint. */
export const ENDPOINT = 'cloud-api'

interface Deps extends Pick<GatewayServices, 'httpClient' | 'webhooks'> {
  config: CloudConfig
}

export function createCallbacks({ config, httpClient, webhooks }: Deps): Callbacks {
  return {
    urlOf: (session) => webhooks.of(session, ENDPOINT)?.url ?? '',
    async set(session, { url, verifyToken, secret: given }) {
      httpClient.check('URL', url)
      await verifyCallback(httpClient, url, verifyToken, config.timeoutMs)
      const standing = given ?? webhooks.of(session, ENDPOINT)?.secret ?? config.appSecret
      const secret = standing ?? randomBytes(16).toString('hex')
      await webhooks.set(session, ENDPOINT, { url, format: FORMAT, secret })
      return standing === undefined ? secret : undefined
    },
  }
}

/**
 * Makes the receiver prove that it expects these webhooks, like Graph: it must answer with 200 and the challenge. Rejects
 * CLOUD_CALLBACK_FAILED.
 */
async function verifyCallback(
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
