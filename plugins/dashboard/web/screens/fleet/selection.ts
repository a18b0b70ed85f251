import { type Signal, signal } from '@preact/signals'

/** The chosen sessions, by id. */
export interface Selection {
  readonly ids: Signal<ReadonlySet<string>>
  /** @param isRange also all between this one and the one changed before, in the order of `shown` */
  toggle(id: string, shown: readonly string[], isRange: boolean): void
  set(ids: readonly string[]): void
}

export function createSelection(): Selection {
  const ids: Selection['ids'] = signal(new Set())
  let before = ''
  return {
    ids,
    toggle(id, shown, isRange) {
      const isOn = !ids.value.has(id)
      const places = [shown.indexOf(before), shown.indexOf(id)].sort((a, b) => a - b)
      const [first = -1, last = -1] = places
      const changed = isRange && first >= 0 ? shown.slice(first, last + 1) : [id]
      const next = new Set(ids.value)
      for (const one of changed)
        if (isOn) next.add(one)
        else next.delete(one)
      ids.value = next
      before = id
    },
    set(all) {
      ids.value = new Set(all)
      before = ''
    },
  }
}
