/**
 * The only module that imports Baileys at run time (enforced by a dependency rule): on loading, Baileys and libsignal copy
 * functions that the patches change, so nothing may load them earlier. Types may be imported from the package itself.
 */
import './patches/early.ts'
import { GroupCipher } from '@whiskeysockets/baileys/lib/Signal/Group/index.js'
import { Curve } from '@whiskeysockets/baileys/lib/Utils/crypto.js'
import * as constants from '@whiskeysockets/baileys/lib/WABinary/constants.js'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { applyPatches, EARLY_PATCHES, latePatches, type ModulePatch } from './patches/index.ts'

// Not all of Baileys: its table of metrics alone takes 5 MB.
export * from '@whiskeysockets/baileys/lib/Defaults/index.js'
export {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from '@whiskeysockets/baileys/lib/Signal/Group/index.js'
export { default as makeWASocket } from '@whiskeysockets/baileys/lib/Socket/index.js'
export * from '@whiskeysockets/baileys/lib/Types/index.js'
export * from '@whiskeysockets/baileys/lib/Utils/index.js'
export * as constants from '@whiskeysockets/baileys/lib/WABinary/constants.js'
export * from '@whiskeysockets/baileys/lib/WABinary/index.js'
export * from '@whiskeysockets/baileys/lib/WAUSync/index.js'
export * from '@whiskeysockets/baileys/WAProto/index.js'
export { default as signal } from 'libsignal'
// @ts-expect-error libsignal has no types of it
export { PreKeyWhisperMessage } from 'libsignal/src/protobufs.js'

const LATE_PATCHES = latePatches({ TOKEN_MAP: constants.TOKEN_MAP, GroupCipher, proto, Curve })
applyPatches(LATE_PATCHES)

/** The patches of Baileys and libsignal in the order of their application. */
export const PATCHES: readonly ModulePatch[] = [...EARLY_PATCHES, ...LATE_PATCHES]
