/** Where browsers reach this gateway. */
export interface Address {
  /** Without a slash at its end. */
  readonly base: string
  /** Of the base: '' or `/wamux`. */
  readonly path: string
  readonly isSecure: boolean
}

/**
 * The configured address, or else that of the request. A caller who makes up the headers of a request deceives himself
 * alone: the address appears in his own answer.
 */
export function addressOf(configured: string, header: (name: string) => string): Address {
  const base = (configured || requested(header)).replace(/\/+$/, '')
  const { pathname, protocol } = new URL(base)
  return { base, path: pathname.replace(/\/+$/, ''), isSecure: protocol === 'https:' }
}

function requested(header: (name: string) => string): string {
  const [protocol = ''] = header('x-forwarded-proto').split(',')
  // A proxy, or another node of a cluster, has replaced the header of the client.
  const [host = ''] = (header('x-forwarded-host') || header('host')).split(',')
  const url = `${protocol.trim() === 'https' ? 'https' : 'http'}://${host.trim()}`
  return URL.canParse(url) ? new URL(url).origin : 'http://localhost'
}
