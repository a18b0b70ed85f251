import { asFunction, asValue, definePlugin } from 'wamux/plugin'
import { createSender, type Sender } from './send.ts'
import {
  named,
  resolveChat,
  resolveUser,
  resolveUsers,
  type Targets,
  toChat,
  toGroup,
  toNewsletter,
  toUser,
} from './target.ts'

export type { SendRequest } from './identity.ts'
export type { OwnMessage, SendExtras, Sender } from './send.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    targets: Targets
    sender: Sender
  }
}

/** Shared by all plugins that send messages: parsing targets, message context, idempotency and responses. */
export default definePlugin({
  name: 'sender',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['messageHookChain'],
  provides: ['targets', 'sender'],
  services: () => ({
    targets: asValue({
      toChat,
      toUser,
      resolveChat,
      resolveUser,
      resolveUsers,
      named,
      toGroup,
      toNewsletter,
    }),
    sender: asFunction(createSender).singleton(),
  }),
})
