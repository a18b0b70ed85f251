import { randomBytes } from 'node:crypto'
import type { GatewayServices, Session } from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { FORMAT } from './format.ts'
import { verifyCallback } from './verify.ts'

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
