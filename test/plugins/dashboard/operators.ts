import { expect } from 'chai'
import { startWorld, type World, type WorldOptions } from '../../support/world.ts'
import { type Operator, openBrowser, openOperator } from './browser.ts'

export interface OperatorsOptions {
  readonly world?: WorldOptions
  /** Makes in the world what the tests have in common. */
  onWorld(world: World): Promise<void>
  onOperator(operator: Operator): unknown
}

/** The hooks of a suite: one world, and for each test an operator of its own, who must have complained about nothing. */
export function operatorPerTest({ world: options, onWorld, onOperator }: OperatorsOptions): void {
  let world: World | undefined
  let operator: Operator

  before(async () => {
    ;[world] = await Promise.all([startWorld(options), openBrowser()])
    await onWorld(world)
  })
  beforeEach(async () => {
    operator = await openOperator(await openBrowser(), world?.gateway.url ?? '')
    await onOperator(operator)
  })
  afterEach(async () => {
    expect(operator.complaints).to.deep.equal([])
    await operator.close()
  })
  after(() => world?.stop())
}
