import { definePlugin, type Plugin } from '../../../kernel/plugin.ts'
import type { PasskeySessions, PasskeyState } from '../../../plugins/link-page/passkey.ts'

/** The driver's part of a passkey, as the port describes it, played by the test. */
export interface PasskeyHalf {
  readonly plugin: Plugin
  /** What sessions report from now on. */
  state: PasskeyState
  /** What the page has sent, in order. */
  readonly calls: { readonly name: 'submit' | 'confirm'; readonly credential?: unknown }[]
  /** What is reported after a call. */
  after: Partial<Record<'submit' | 'confirm', PasskeyState>>
}

export function createPasskeyHalf(): PasskeyHalf {
  const half: PasskeyHalf = {
    state: { State: 'none' },
    calls: [],
    after: {},
    plugin: definePlugin({
      name: 'passkey-half',
      version: '1.0.0',
      api: '^1.0.0',
      setup: async ({ sessions }) => {
        const port: PasskeySessions = {
          passkey: async () => half.state,
          submitPasskey: async (_id, credential) => {
            half.calls.push({ name: 'submit', credential })
            half.state = half.after.submit ?? half.state
          },
          confirmPasskey: async () => {
            half.calls.push({ name: 'confirm' })
            half.state = half.after.confirm ?? half.state
          },
        }
        Object.assign(sessions, port)
      },
    }),
  }
  return half
}
