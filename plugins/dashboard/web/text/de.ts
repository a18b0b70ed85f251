const files = import.meta.glob<{ default: Record<string, string> }>('./de/*.json', { eager: true })

/** The texts of this language by file. */
export default Object.fromEntries(
  Object.entries(files).map(([path, { default: texts }]) => [/\/(\w+)\.json$/.exec(path)?.[1] ?? '', texts]),
)
