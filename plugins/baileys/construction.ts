import { signalRepositoryOf } from './signal/signal-repository.ts'
import { stagesOf } from './socket/pipeline.ts'

/** The parts from which a driver builds its links. */
export interface Construction {
  /** The stages between Baileys and its connection. */
  stages: typeof stagesOf
  /** The Signal repository. */
  repository: typeof signalRepositoryOf
}

/**
 * The gateway's own. The crash tests replace it before a gateway starts, to prove that they notice a loss
 * (test/crash/stock.ts).
 */
export const construction: Construction = { stages: stagesOf, repository: signalRepositoryOf }
