import type { Gateway } from '../../kernel/gateway.ts'
import type { Config } from '../schema.ts'
import { print } from './print.ts'

/** The address of the gateway that this configuration starts, as a command on the same machine calls it. */
export function gatewayAddress({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
}

/** The gateway's address as seen from this machine. */
export function addressOf({ url }: Gateway): string {
  return url.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//127.0.0.1')
}

/**
 * For the person at the terminal, next to the log: a link that logs in to the dashboard without a token. Nothing where the
 * dashboard is off.
 */
export function printSignIn(gateway: Gateway, adminToken: string, title: string, page: string): void {
  const { plugins } = gateway.describe()
  if (!plugins.some(({ name, state }) => name === 'dashboard' && state === 'ready')) return
  const code = gateway.service('signInCodes').make(adminToken)
  const url = addressOf(gateway)
  print(
    '',
    `${title}: ${url}${page}#code=${code}`,
    `(The link logs in once, within ten minutes; afterwards use ${url}/dashboard)`,
    '',
  )
}
