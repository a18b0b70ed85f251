import type { Config } from '../schema.ts'

/** The address of the gateway that this configuration starts, as a command on the same machine calls it. */
export function gatewayAddress({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
}
