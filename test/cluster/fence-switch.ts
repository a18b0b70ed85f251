import { definePlugin, T } from 'wamux/plugin'

let isOn = true

/** For `npm run cluster:fence`: switches the fence of a node off and on while it runs; nothing else changes. */
export default definePlugin({
  name: 'fence-switch',
  version: '0.1.0',
  api: '^1.0.0',
  decorates: {
    ownership: (next) => ({
      ...next,
      get fence(): NonNullable<typeof next.fence> {
        // The type has no absent one that may come back.
        return (isOn ? next.fence : undefined) as never
      },
    }),
  },
  routes: (r) => [
    r.post('/fence-switch', {
      summary: 'Switch the fence off or on',
      access: 'admin',
      body: T.Object({ On: T.Boolean() }),
      response: T.Object({ On: T.Boolean() }),
      async handle({ body }) {
        isOn = body.On
        return { On: isOn }
      },
    }),
  ],
})
