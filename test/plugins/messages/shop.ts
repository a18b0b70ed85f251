import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type LinkedSession, startWorld, type World, type WorldOptions } from '../../support/world.ts'
import { type Hook, hookOf } from './hook.ts'

/** A shop's session whose events a webhook gets, and Ana, who writes to it. */
export interface Shop {
  readonly world: World
  readonly session: LinkedSession
  readonly hook: Hook
  readonly ana: Phone
  close(): Promise<void>
}

export async function openShop(options?: WorldOptions): Promise<Shop> {
  const world = await startWorld(options)
  const session = await world.linked(await world.phone('Shop'))
  const hook = await hookOf(session)
  const ana = await world.phone('Ana')
  return {
    world,
    session,
    hook,
    ana,
    async close() {
      await hook.close()
      await world.stop()
    },
  }
}
