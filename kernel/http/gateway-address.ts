/** Where clients reach this gateway. */
export interface GatewayAddress {
  /** `https://example.com/wamux`, without a trailing slash. */
  readonly base: string
  /** Path of the base: '' or `/wamux`. */
  readonly path: string
  readonly isSecure: boolean
}

/**
 * The configured address of the gateway, or else the origin of the request.
 *
 * @param configured '' for none
 */
export function gatewayAddress(configured: string, header: (name: string) => string): GatewayAddress {
  const base = withoutSlash(configured || requestOrigin(header))
  const { pathname, protocol } = new URL(base)
  return { base, path: withoutSlash(pathname), isSecure: protocol === 'https:' }
}

/**
 * The origin by which the client of a request reaches the gateway, from its headers: `https://wamux.example`. A client that
 * forges them gets an address in its own answer only; invalid headers count as absent.
 */
function requestOrigin(header: (name: string) => string): string {
  const [protocol = ''] = header('x-forwarded-proto').split(',')
  // A proxy or another node of a cluster has replaced the client's header.
  const [host = ''] = (header('x-forwarded-host') || header('host')).split(',')
  const url = `${protocol.trim() === 'https' ? 'https' : 'http'}://${host.trim()}`
  return URL.canParse(url) ? new URL(url).origin : 'http://localhost'
}

function withoutSlash(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '')
}
