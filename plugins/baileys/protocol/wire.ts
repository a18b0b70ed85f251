import {
  addTransactionCapability,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  decodeBinaryNode,
  decodeSyncdPatch,
  encodeBinaryNode,
  encodeSyncdPatch,
  generateSignalPubKey,
  hkdf,
  initAuthCreds,
  newLTHashState,
  proto,
  unpadRandomMax16,
  WA_CERT_DETAILS,
} from '../baileys.ts'
import { sharingContexts } from '../patches/contexts.ts'
import { isSigned, setWhatsappRoot } from '../patches/curve.ts'

setWhatsappRoot(WA_CERT_DETAILS.PUBLIC_KEY)

/**
 * The protocol's codec and key primitives, for the plugin that implements the server side: message definitions, binary
 * stanzas, Signal, app state. It uses nothing else of Baileys.
 */
export const wire = {
  proto,
  encodeBinaryNode,
  decodeBinaryNode,
  Curve,
  isSigned,
  hkdf,
  generateSignalPubKey,
  initAuthCreds,
  addTransactionCapability: (...parts: Parameters<typeof addTransactionCapability>) =>
    sharingContexts(() => addTransactionCapability(...parts)),
  makeSignalRepository: DEFAULT_CONNECTION_CONFIG.makeSignalRepository,
  unpadRandomMax16,
  encodeSyncdPatch,
  decodeSyncdPatch,
  newLTHashState,
}

export type Wire = typeof wire
