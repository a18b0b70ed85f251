import type { buildConnector } from 'undici'

/** A server on this machine that answers for a host name. */
export interface LocalHost {
  readonly port: number
  /** Certificate (PEM) of its certificate authority. */
  readonly ca: string
}

/** Host names whose https requests go to servers on this machine, whatever a resolver says. */
export interface LocalHosts {
  add(name: string, host: LocalHost): void
  /** Connects to added hosts, and to all others through `next`. */
  connector(build: typeof buildConnector, next: buildConnector.connector): buildConnector.connector
}

export function createLocalHosts(): LocalHosts {
  const hosts = new Map<string, LocalHost>()
  return {
    add: (name, host) => void hosts.set(name, host),
    connector(build, next) {
      return (target, done) => {
        const host = target.protocol === 'https:' ? hosts.get(target.hostname) : undefined
        if (!host) return next(target, done)
        const here = {
          ...target,
          hostname: '127.0.0.1',
          port: String(host.port),
          servername: target.hostname,
        }
        return build({ ca: host.ca })(here, done)
      }
    },
  }
}
