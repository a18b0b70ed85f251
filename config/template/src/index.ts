import { asFunction, definePlugin, T } from 'wamux/plugin'
import type {} from 'wamux/services'
import { createGreetings } from './greetings.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'

/** Greets people, and stores whom it has greeted. */
export default definePlugin({
  name: 'hello',
  version: '0.1.0',
  api: '^1.0.0',
  config: T.Object({
    greeting: T.String({ default: 'Good day', minLength: 1, description: 'First words of a greeting' }),
  }),
  needs: ['sender'],
  migrations,
  services: () => ({ greetings: asFunction(createGreetings).singleton() }),
  routes,
})
