import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'

const MAX_TABS = 300

interface Focus {
  /** Whether the element of the locator has it. */
  readonly isThere: boolean
  /** Nothing of the page has it. */
  readonly isLost: boolean
  readonly isSeen: boolean
  /** Whether the element of the locator stands before it. */
  readonly isBehind: boolean
  /** The element that has it. */
  readonly text: string
}

/** Somebody without a mouse. */
export interface Keyboard {
  /** Goes there by Tab and Shift+Tab alone; fails where the focus can't be seen on the way, or does not get there. */
  to(target: Locator): Promise<void>
  /** Goes there and presses Enter, or another key. */
  press(target: Locator, key?: string): Promise<void>
  /** Goes there, and types in place of what is there. */
  type(target: Locator, text: string): Promise<void>
  /** Fails where nothing of the page has the focus, as when an element that had it is removed. */
  assertFocus(when: string): Promise<void>
}

export function keyboardOf(page: Page): Keyboard {
  async function to(target: Locator): Promise<void> {
    await target.waitFor()
    let focus = await target.evaluate(focusOf)
    for (let tabs = 0; !focus.isThere; tabs += 1) {
      if (tabs === MAX_TABS) throw new Error(`${target} is not reached by ${MAX_TABS} tabs`)
      await page.keyboard.press(focus.isBehind ? 'Shift+Tab' : 'Tab')
      focus = await target.evaluate(focusOf)
      // From the last element the focus goes to the browser, and then to the first one.
      if (!focus.isLost) expect(focus.isSeen, `the focus on ${focus.text} is seen`).to.equal(true)
    }
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
      // It moves when the page has rendered what the key did.
      const isKept = async () => !(await page.locator('body').evaluate(focusOf)).isLost
      await eventually(isKept, `the focus is kept ${when}`)
    },
  }
}

/** Runs in the browser. */
// biome-ignore lint/suspicious/noExplicitAny: these tests are typed without the names of browsers
function focusOf(wanted: any): Focus {
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const { document, getComputedStyle, innerWidth, innerHeight } = globalThis as any
  const element = document.activeElement
  const isLost = !element || element === document.body
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const { top, bottom, left, right } = element.getBoundingClientRect()
  const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
  return {
    isThere: element === wanted,
    isLost,
    // 4: the focus follows the element.
    isBehind: !isLost && (wanted.compareDocumentPosition(element) & 4) !== 0,
    isSeen: isInside && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0,
    text: element.outerHTML.slice(0, 200),
  }
}
