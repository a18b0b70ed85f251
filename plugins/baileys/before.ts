/**
 * Must be imported before Baileys, by every module that imports Baileys: what is mended here is taken by
 * value when Baileys and libsignal are loaded.
 */
import { mendAttempts } from './attempts.ts'
import { mendSignatures, quickenKeys } from './curve.ts'
import { mendJobs } from './jobs.ts'
import { mendTimers } from './timers.ts'
import { mendTokens } from './tokens.ts'

mendTimers()
mendSignatures()
quickenKeys()
mendJobs()
mendAttempts()
mendTokens()
