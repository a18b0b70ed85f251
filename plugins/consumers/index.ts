import { asFunction, definePlugin } from 'wamux/plugin'
import { createRunner } from './runner.ts'

/** Runs the durable consumers of all plugins: cursors, lanes of sessions that are behind, dead letters. */
export default definePlugin({
  name: 'consumers',
  version: '0.1.0',
  api: '^1.3.0',
  wants: ['ownership'],
  provides: ['consumerRunner'],
  services: () => ({ consumerRunner: asFunction(createRunner).singleton() }),
})
