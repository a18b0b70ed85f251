import { expect } from 'chai'
import type { Page } from 'playwright-core'

/** Counts the clicks of a task from the place where the page is: the daily ones must take at most four. */
export async function countClicks(page: Page): Promise<{ assertFew(): Promise<void> }> {
  await page.evaluate(`{
    window.clicks = 0
    addEventListener('pointerdown', () => { window.clicks += 1 }, { capture: true })
  }`)
  return {
    async assertFew() {
      // Undefined if the document was loaded meanwhile.
      expect(await page.evaluate('window.clicks')).to.be.within(1, 4)
    },
  }
}
