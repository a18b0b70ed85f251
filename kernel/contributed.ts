/** One of the values that a plugin contributes by name, with that name and its plugin. */
export type Contributed<T> = T & { readonly plugin: string; readonly name: string }

/** The values of a contract to which each plugin contributes several by name, for example `metrics`, as one list. */
export function contributed<T>(
  tables: readonly { readonly plugin: string; readonly value: Readonly<Record<string, T>> }[],
): Contributed<T>[] {
  return tables.flatMap(({ plugin, value }) =>
    Object.entries(value).map(([name, one]) => ({ ...one, plugin, name })),
  )
}
