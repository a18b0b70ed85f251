/**
 * The configured address of the gateway, or else that of the request, without a slash at its end. A caller who makes up the
 * headers of a request gets an address in the own answer only.
 */
export function baseAddress(configured: string, header: (name: string) => string): string {
  if (configured) return configured.replace(/\/+$/, '')
  const [protocol = ''] = header('x-forwarded-proto').split(',')
  // A proxy, or another node of a cluster, has replaced the header of the client.
  const [host = ''] = (header('x-forwarded-host') || header('host')).split(',')
  const url = `${protocol.trim() === 'https' ? 'https' : 'http'}://${host.trim()}`
  return URL.canParse(url) ? new URL(url).origin : 'http://localhost'
}
