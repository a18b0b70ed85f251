import { asFunction, definePlugin, type Events } from '../../../kernel/plugin.ts'

declare module 'wamux/plugin' {
  interface GatewaySignals {
    step: { chat: string; number: number }
  }
  interface GatewayEvents {
    Step: { event: { Chat: string; Number: number } }
  }
  interface GatewayServices {
    stepper: Events
  }
}

/** Raises events of a chat, by number. */
export const stepper = definePlugin({
  name: 'stepper',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['stepper'],
  services: () => ({ stepper: asFunction(({ events }: { events: Events }) => events).singleton() }),
  events: { Step: { class: 'Message', summary: 'Step' } },
  translate: {
    step: ({ data: { chat, number } }) => ({
      events: [
        { type: 'Step', key: `${chat} ${number}`, chat, body: { event: { Chat: chat, Number: number } } },
      ],
    }),
  },
})
