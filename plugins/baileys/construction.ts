import { signalRepositoryOf } from './signal/signal-repository.ts'
import { stagesOf } from './socket/pipeline.ts'

/** What the links of a driver are made with. */
export interface Construction {
  /** The stages between Baileys and its connection. */
  stages: typeof stagesOf
  /** The Signal repository. */
  repository: typeof signalRepositoryOf
}

/** As the gateway uses it. The crash tests set others before a gateway starts, to prove that they notice a loss (test/crash/stock.ts). */
export const construction: Construction = { stages: stagesOf, repository: signalRepositoryOf }
