// biome-ignore lint/style/useNodejsImportProtocol: the bundler of the panel's templates (webpack) knows no node: protocol.
import { randomBytes } from 'crypto'
import type { Output, Services } from '~templates-utils'
import type { Input } from './meta'

export function generate(input: Input): Output {
  const services: Services = []

  services.push({
    type: 'app',
    data: {
      serviceName: input.appServiceName,
      source: { type: 'image', image: input.appServiceImage },
      env: [
        `WAMUX_MESSAGES_PUBLIC_URL=https://$(PRIMARY_DOMAIN)`,
        // Easypanel's own proxy, whose X-Forwarded-For gives the address of the client.
        `WAMUX_TRUST_PROXY=1`,
        // The panel's randomString is not made for secrets.
        `WAMUX_ADMIN_TOKEN=${randomBytes(32).toString('hex')}`,
        `WAMUX_KEYS=k1:${randomBytes(32).toString('base64')}`,
        `WAMUX_PROFILE=${input.profile}`,
        `LOG_LEVEL=info`,
      ].join('\n'),
      domains: [{ host: '$(EASYPANEL_DOMAIN)', port: 8080 }],
      mounts: [{ type: 'volume', name: 'data', mountPath: '/data' }],
      deploy: {
        replicas: 1,
        // One process uses a database: the old one has to end before the new one starts.
        zeroDowntime: false,
        tiniInit: true,
        capDrop: ['ALL'],
      },
    },
  })

  return { services }
}
