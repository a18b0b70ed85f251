import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { LooseNetwork } from '../../support/network.ts'
import type { Companion } from '../companion.ts'

/** What the areas of one client share. */
export interface Bench {
  readonly loose: LooseNetwork
  /** The phone of the account that the client is linked to. */
  readonly own: Phone
  /** The phone of another account. */
  readonly other: Phone
  /** The companion that the area `link by QR code` links, and all later areas use. */
  readonly companion: Companion
  /** A further companion of the same library. */
  open(instance: string): Companion
  /** Whether the client resumes Noise sessions (IK). */
  readonly resumes: boolean
}

export interface Area {
  readonly name: string
  /** Rejects with the reason of the failure. */
  run(bench: Bench): Promise<void>
}
