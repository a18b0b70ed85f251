/** Imported before Baileys, for its effect. */
import { applyPatches, EARLY_PATCHES } from './index.ts'

applyPatches(EARLY_PATCHES)
