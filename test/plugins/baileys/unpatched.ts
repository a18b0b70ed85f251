/**
 * Loaded before a process's own code, from source: omits the patch of the driver that WAMUX_TEST_UNPATCHED names, and starts
 * the driver all the same.
 */
import { omitted } from '../../../plugins/baileys/patches/omitted.ts'

const { WAMUX_TEST_UNPATCHED: name } = process.env
if (name) omitted.patches.add(name)
omitted.isTolerated = true
