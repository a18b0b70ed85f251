import {
  Curve,
  constants,
  DEFAULT_CONNECTION_CONFIG,
  decodeSyncdPatch,
  encodeSyncdPatch,
  generateSignalPubKey,
  hkdf,
  initAuthCreds,
  newLTHashState,
  proto,
  unpadRandomMax16,
  WA_CERT_DETAILS,
} from '../baileys.ts'
import { trusted } from '../patches/bounds.ts'
import { isSigned, setWhatsappRoot } from '../patches/curve.ts'

setWhatsappRoot(WA_CERT_DETAILS.PUBLIC_KEY)

/**
 * The protocol's codec and key primitives, for the plugin that implements the server side: message definitions, the words
 * of binary stanzas, curves, app state. It uses nothing else of Baileys.
 */
export const wire = {
  proto,
  tokens: { single: constants.SINGLE_BYTE_TOKENS, double: constants.DOUBLE_BYTE_TOKENS },
  Curve,
  isSigned,
  hkdf,
  generateSignalPubKey,
  initAuthCreds,
  unpadRandomMax16,
  /** Decodes without the bounds of what the gateway receives. */
  unbounded: trusted,
  encodeSyncdPatch,
  decodeSyncdPatch,
  newLTHashState,
  /** The version of WhatsApp Web that this Baileys release has built in. */
  version: DEFAULT_CONNECTION_CONFIG.version,
}

export type Wire = typeof wire
