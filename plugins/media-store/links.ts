import { type GatewayServices, isSameSecret, type Kernel, type LogEvent, type Vault } from 'wamux/plugin'
import type { MediaStoreConfig } from './config.ts'

/** Signed links to files, which need no token and expire; the key of their session signs them. */
export interface MediaLinks {
  make(event: Pick<LogEvent, 'seq' | 'session'>): string
  /** Whether the link belongs to the event and is still valid. */
  isValid(event: Pick<LogEvent, 'seq' | 'session'>, query: URLSearchParams): boolean
}

type Deps = Pick<Kernel<MediaStoreConfig>, 'config'> & { vault: Vault } & Pick<
    GatewayServices,
    'publicAddress'
  >

const HOUR_MS = 3_600_000

export function createLinks({ vault, config, publicAddress }: Deps): MediaLinks {
  const sign = ({ seq, session }: Pick<LogEvent, 'seq' | 'session'>, expires: number): string =>
    vault.index(session, 'media_store_files/link', `${seq}.${expires}`)
  const base = publicAddress.url.replace(/\/$/, '')

  return {
    make(event) {
      const expires = Date.now() + Math.round(config.linkHours * HOUR_MS)
      return `${base}/media-store/${event.seq}?expires=${expires}&signature=${sign(event, expires)}`
    },
    isValid(event, query) {
      const expires = Number(query.get('expires'))
      return expires > Date.now() && isSameSecret(query.get('signature') ?? '', sign(event, expires))
    },
  }
}
