/**
 * Must be imported before Baileys, by every module that imports Baileys: what is mended here is taken by
 * value when Baileys and libsignal are loaded.
 */
import { mendAttempts } from './attempts.ts'
import { mendSignatures } from './curve.ts'
import { mendJobs } from './jobs.ts'
import { mendTimers } from './timers.ts'

mendTimers()
mendSignatures()
mendJobs()
mendAttempts()
