import * as support from '../../support/world.ts'
import { type Hook, hookOf } from './hook.ts'

/** A shop's session whose events a webhook gets, and Ana, who writes to it. */
export interface Shop extends support.Shop {
  readonly hook: Hook
  close(): Promise<void>
}

export async function openShop(options?: support.WorldOptions): Promise<Shop> {
  const shop = await support.openShop(options)
  const hook = await hookOf(shop.session)
  return {
    ...shop,
    hook,
    async close() {
      await hook.close()
      await shop.world.stop()
    },
  }
}
