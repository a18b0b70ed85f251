import { gatewayError, type Sessions } from 'wamux/plugin'

/** How far the passkey of a session that is being linked has come. */
export interface PasskeyState {
  readonly State: 'none' | 'challenge' | 'submitted' | 'confirm' | 'confirmed' | 'failed'
  /** The WebAuthn request options of the network, as JSON; to be passed on unchanged. */
  readonly Challenge?: unknown
  /** `XXXX-XXXX`, to be compared with the code on the phone. */
  readonly Code?: string
  /** RFC 3339. */
  readonly ExpiresAt?: string
  readonly Reason?: string
}

/** What the sessions of a gateway offer whose driver can answer a passkey request. */
export interface PasskeySessions {
  passkey(id: string): Promise<PasskeyState>
  /** @param credential `PublicKeyCredential.toJSON()` */
  submitPasskey(id: string, credential: unknown): Promise<unknown>
  /** The code on the phone is the same. */
  confirmPasskey(id: string): Promise<unknown>
}

/** The passkey of a session; without support by the sessions its state is always `none`. */
export interface Passkeys {
  of(session: string): Promise<PasskeyState>
  /** Rejects PASSKEY_REQUIRED without support. */
  submit(session: string, credential: unknown): Promise<void>
  confirm(session: string): Promise<void>
}

export function createPasskeys({ sessions }: { sessions: Sessions }): Passkeys {
  const port = (): PasskeySessions => {
    if (hasPasskeys(sessions)) return sessions
    throw gatewayError('PASSKEY_REQUIRED')
  }
  return {
    of: async (session) => (hasPasskeys(sessions) ? sessions.passkey(session) : { State: 'none' }),
    async submit(session, credential) {
      await port().submitPasskey(session, credential)
    },
    async confirm(session) {
      await port().confirmPasskey(session)
    },
  }
}

function hasPasskeys(sessions: object): sessions is PasskeySessions {
  return 'passkey' in sessions && 'submitPasskey' in sessions && 'confirmPasskey' in sessions
}
