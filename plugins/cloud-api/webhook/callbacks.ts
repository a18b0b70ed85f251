import { randomBytes } from 'node:crypto'
import type { GatewayServices, Session } from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { FORMAT } from './format.ts'
import { verifyCallback } from './verify.ts'

export interface NewCallback {
  readonly url: string
  readonly verifyToken: string
  /** That of the configuration, or a random one, when absent; the one that is set is kept. */
  readonly secret?: string | undefined
}

/** Where the webhooks of sessions go, as clients of the Cloud API register it: one endpoint of the plugin webhook each. */
export interface Callbacks {
  /** '' without one. */
  urlOf(session: Session): string
  /** Verified first. Resolves with the secret if it was made now. Rejects FIELD_INVALID, CLOUD_CALLBACK_FAILED; nothing changes then. */
  set(session: Session, callback: NewCallback): Promise<string | undefined>
}

/** Of the endpoint that a session has here. */
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
