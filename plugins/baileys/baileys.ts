/**
 * The one module that imports Baileys at run time (a dependency rule holds it): what the patches change is taken by value
 * when Baileys and libsignal are loaded, so nothing may load them before. Types may come from the package itself.
 */
import './patches/early.ts'
import { GroupCipher } from '@whiskeysockets/baileys/lib/Signal/Group/group_cipher.js'
import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js'
import { applyPatches, EARLY_PATCHES, latePatches, type ModulePatch } from './patches/index.ts'

export * from '@whiskeysockets/baileys'

const LATE_PATCHES = latePatches({ TOKEN_MAP, GroupCipher })
applyPatches(LATE_PATCHES)

/** What is changed in Baileys and libsignal, in the order in which it is applied. */
export const PATCHES: readonly ModulePatch[] = [...EARLY_PATCHES, ...LATE_PATCHES]
