import tls from 'node:tls'

/** The name in the addresses of media, which Baileys takes from the path of a file whatever its URL says. */
const NAME = 'mmg.whatsapp.net'

/**
 * Makes that name lead to the media host of the network, as a name server would that could answer a port too. The host's
 * certificate is for this name, and is verified.
 *
 * @param mediaHost `127.0.0.1:<port>`
 */
export function resolveMediaName(mediaHost: string): void {
  const { hostname: host, port } = new URL(`https://${mediaHost}`)
  const connect = tls.connect
  const toHost = (options: tls.ConnectionOptions): tls.ConnectionOptions =>
    options.host === NAME || options.servername === NAME
      ? { ...options, host, port: Number(port), servername: NAME }
      : options
  Object.assign(tls, {
    connect: (options: tls.ConnectionOptions, listener?: () => void) => connect(toHost(options), listener),
  })
}
