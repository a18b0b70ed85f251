import { gatewayError } from '../errors.ts'
import type { Subscription } from '../types/events.ts'

/** Subscribes to nothing; an empty list always means All. */
const NONE = 'None'

/** Resolves event class names; `provided` are the classes of the enabled plugins. */
export function createClasses(provided: () => string[]) {
  const known = (): string[] => ['All', ...provided()]

  /** The declared name: an exact match, or the only match that differs in case. */
  function find(name: string, all = known()): string | undefined {
    if (all.includes(name)) return name
    const similar = all.filter((one) => one.toLowerCase() === name.toLowerCase())
    return similar.length === 1 ? similar[0] : undefined
  }

  return {
    subscription(given: readonly string[]): Subscription {
      const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
      const asked = names.filter(Boolean)
      if (asked.length === 0) return { classes: ['All'], notice: {} }
      const all = [NONE, ...known()]
      const found = [...new Set(asked.flatMap((name) => find(name, all) ?? []))]
      const some = found.filter((name) => name !== NONE)
      const classes = some.length > 0 ? some : [NONE]
      const dropped = asked.filter((name) => find(name, all) === undefined)
      if (dropped.length === 0) return { classes, notice: {} }
      // Falling back to All would deliver more than the client requested.
      const warning = `Subscribed to nothing: none of these classes is known; the known ones are ${known().join(', ')}`
      return { classes, notice: { dropped, ...(found.length > 0 ? {} : { warning }) } }
    },
    assertClasses(names: readonly string[] = []): string[] {
      return names.map((name) => {
        const found = find(name)
        if (!found) throw gatewayError('CLASS_UNKNOWN', [name, known().join(', ')])
        return found
      })
    },
  }
}
