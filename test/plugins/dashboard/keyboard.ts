import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'

const MAX_TABS = 300

/** Where the focus is: of what, whether it is seen, and the element as text. */
const FOCUS = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return { isLost: true, isSeen: false, text: 'body' }
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const { top, bottom, left, right } = element.getBoundingClientRect()
  const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
  return {
    isLost: false,
    isSeen: isInside && outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
    text: element.outerHTML.slice(0, 200),
  }
})()`

interface Focus {
  readonly isLost: boolean
  readonly isSeen: boolean
  readonly text: string
}

/** Somebody without a mouse. */
export interface Keyboard {
  /** Goes there by Tab alone; fails where the focus can't be seen on the way, or does not get there. */
  to(target: Locator): Promise<void>
  /** Goes there and presses Enter, or another key. */
  press(target: Locator, key?: string): Promise<void>
  /** Goes there, and types in place of what is there. */
  type(target: Locator, text: string): Promise<void>
  /** Fails where nothing of the page has the focus, as when an element that had it is removed. */
  assertFocus(when: string): Promise<void>
}

export function keyboardOf(page: Page): Keyboard {
  const focus = (): Promise<Focus> => page.evaluate(FOCUS) as Promise<Focus>

  async function to(target: Locator): Promise<void> {
    await target.waitFor()
    const isThere = (): Promise<boolean> => target.evaluate('(element) => element === document.activeElement')
    for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
      if (await isThere()) return
      await page.keyboard.press('Tab')
      const { isLost, isSeen, text } = await focus()
      // From the last element the focus goes to the browser, and then to the first one.
      if (!isLost) expect(isSeen, `the focus on ${text} is seen`).to.equal(true)
    }
    throw new Error(`${target} is not reached by ${MAX_TABS} tabs`)
  }

  return {
    to,
    async press(target, key = 'Enter') {
      await to(target)
      await page.keyboard.press(key)
    },
    async type(target, text) {
      await to(target)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    async assertFocus(when) {
      const { isLost } = await focus()
      expect(isLost, `the focus is lost ${when}`).to.equal(false)
    },
  }
}
