/** A value that a plugin contributes by name, with the name and the plugin. */
export type Contributed<T> = T & { readonly plugin: string; readonly name: string }

/** Flattens a contract to which each plugin contributes named values, for example `metrics`. */
export function contributed<T>(
  tables: readonly { readonly plugin: string; readonly value: Readonly<Record<string, T>> }[],
): Contributed<T>[] {
  return tables.flatMap(({ plugin, value }) =>
    Object.entries(value).map(([name, one]) => ({ ...one, plugin, name })),
  )
}
