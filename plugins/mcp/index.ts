import { asFunction, definePlugin } from 'wamux/plugin'
import { createClientRequests } from './client-requests.ts'
import { ConfigSchema } from './config.ts'
import { createOwnAddress, type OwnAddress } from './own-address.ts'
import { routes } from './routes.ts'
import { createToolList } from './tool-list.ts'

/** The routes of a session as tools of the Model Context Protocol, for assistants. */
export default definePlugin({
  name: 'mcp',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  services: () => ({
    ownAddress: asFunction(createOwnAddress).singleton(),
    tools: asFunction(({ ownAddress }: { ownAddress: OwnAddress }) =>
      createToolList(ownAddress.get),
    ).singleton(),
    clientRequests: asFunction(createClientRequests).singleton(),
  }),
  contributes: {
    around:
      ({ ownAddress }) =>
      async ({ route, raw }, next) => {
        if (route.path === '/mcp') ownAddress.learn(raw.socket)
        return next()
      },
  },
  routes,
})
