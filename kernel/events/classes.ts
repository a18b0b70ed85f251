import { gatewayError } from '../errors.ts'
import type { Subscription } from '../types/events.ts'

/** Resolves names of event classes; `provided` are the classes of the enabled plugins. */
export function createClasses(provided: () => string[]) {
  const known = (): string[] => ['All', ...provided()]

  /** The declared name: an exact match, or the only match that differs in case. */
  function find(name: string): string | undefined {
    if (known().includes(name)) return name
    const similar = known().filter((one) => one.toLowerCase() === name.toLowerCase())
    return similar.length === 1 ? similar[0] : undefined
  }

  return {
    subscription(names: readonly string[]): Subscription {
      const classes = [...new Set(names.flatMap((name) => find(name) ?? []))]
      const dropped = names.filter((name) => find(name) === undefined)
      if (dropped.length === 0) return { classes: names.length > 0 ? classes : ['All'], notice: {} }
      // Falling back to All would deliver more than was asked for.
      const warning = `Subscribed to nothing: none of these classes is known here, which are ${known().join(', ')}`
      return { classes, notice: { dropped, ...(classes.length > 0 ? {} : { warning }) } }
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
