import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface RowsInSight {
  /** The element with the rows, which scrolls with the page. */
  readonly box: RefObject<HTMLTableSectionElement | null>
  /** Height of each row, in pixels. */
  readonly height: number
  readonly from: number
  readonly end: number
}

/** Rendered beyond the visible ones, so that the focus can move on, and scrolling shows no gap. */
const MORE = 10
/** The rendered part moves in steps of so many rows. */
const STEP = 5

/** Of rows of one height that scroll with the page, which are to be rendered: those in sight and a few more. */
export function useRowsInSight(count: number, heights: { wide: number; narrow: number }): RowsInSight {
  const box = useRef<HTMLTableSectionElement>(null)
  const narrow = useRef(window.matchMedia('(max-width: 720px)'))
  const height = useSignal(narrow.current.matches ? heights.narrow : heights.wide)
  const from = useSignal(0)
  const end = useSignal(Math.ceil(window.innerHeight / height.value) + MORE)

  function measure(): void {
    if (!box.current) return
    height.value = narrow.current.matches ? heights.narrow : heights.wide
    const above = -box.current.getBoundingClientRect().top
    const first = Math.floor(above / height.value) - MORE
    const last = Math.ceil((above + window.innerHeight) / height.value) + MORE
    from.value = Math.max(0, Math.floor(first / STEP) * STEP)
    end.value = Math.max(0, Math.ceil(last / STEP) * STEP)
  }

  useLayoutEffect(measure, [count])
  useLayoutEffect(() => {
    window.addEventListener('scroll', measure, { passive: true })
    window.addEventListener('resize', measure)
    // What is above the rows may grow or shrink.
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => {
      window.removeEventListener('scroll', measure)
      window.removeEventListener('resize', measure)
      observer.disconnect()
    }
  }, [])

  return { box, height: height.value, ...bounded(from, end, count) }
}

function bounded(from: Signal<number>, end: Signal<number>, count: number): { from: number; end: number } {
  return { from: Math.min(from.value, count), end: Math.min(end.value, count) }
}
