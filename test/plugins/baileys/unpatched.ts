/**
 * Loaded before a process's own code: omits the patch of the driver that WAMUX_TEST_UNPATCHED names. With
 * WAMUX_TEST_SELF_TEST=no the driver starts without its self-test.
 */
import { testHooks } from 'wamux/plugin'

const { WAMUX_TEST_UNPATCHED: name, WAMUX_TEST_SELF_TEST: selfTest } = process.env
if (name) testHooks.unpatched.add(name)
testHooks.isSelfTested = selfTest !== 'no'
