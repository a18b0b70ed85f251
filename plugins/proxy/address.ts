import { gatewayError } from 'wamux/plugin'

/** The address and the protocol of a proxy. */
export interface ProxyAddress {
  readonly protocol: 'http' | 'https' | 'socks5'
  readonly host: string
  readonly port: number
  /** '' without one, like the password. */
  readonly user: string
  readonly password: string
}

/** Replaces an address: the session connects directly, whatever the gateway's own proxy is. */
export const DIRECT = 'direct'

const PROTOCOLS: Readonly<Record<string, ProxyAddress['protocol']>> = {
  'http:': 'http',
  'https:': 'https',
  'socks5:': 'socks5',
  // With both schemes the proxy resolves names.
  'socks5h:': 'socks5',
}
const PORTS = { http: 80, https: 443, socks5: 1080 }

/** Throws FIELD_INVALID, which never shows the password. @param field name of its field or setting */
export function parseProxy(text: string, field: string): ProxyAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const protocol = url && PROTOCOLS[url.protocol]
  if (!url || !protocol)
    throw gatewayError('FIELD_INVALID', [field, 'must be an http://, https:// or socks5:// address'])
  const { hostname, port, pathname, search, hash } = url
  if (!hostname) throw gatewayError('FIELD_INVALID', [field, 'has no host'])
  if ((pathname !== '' && pathname !== '/') || search || hash)
    throw gatewayError('FIELD_INVALID', [field, 'must end after the port'])
  return {
    protocol,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || PORTS[protocol],
    user: decoded(url.username, field),
    password: decoded(url.password, field),
  }
}

/** The address without its password. */
export function shownProxy(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password) url.password = '***'
  return url.href.replace(/\/$/, '')
}

function decoded(part: string, field: string): string {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw gatewayError('FIELD_INVALID', [field, 'has a % in its user or password that is not encoded'], {
      cause,
    })
  }
}
