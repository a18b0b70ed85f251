/** Page texts for the dashboard and the page of a one-time link; nothing here needs a browser. */

export const LANGUAGES = {
  en: 'English',
  pt: 'Português',
  es: 'Español',
  de: 'Deutsch',
  id: 'Bahasa Indonesia',
}

export type Language = keyof typeof LANGUAGES

/** The texts of a file by name; one that depends on a count has the names `sessions_one` and `sessions_other`. */
export type Texts = Readonly<Record<string, string>>

export type Values = Readonly<Record<string, string | number>>

type Stem<K extends string> = K extends `${infer S}_one` | `${infer S}_other` ? S : K

/** The base names of a file's texts: `sessions` for `sessions_one` and `sessions_other`. */
export type NameIn<T> = Stem<keyof T & string>

export function isLanguage(name: string): name is Language {
  return Object.hasOwn(LANGUAGES, name)
}

/** The first known language of tags in order of preference: `de-AT`, `en`. */
export function languageOf(tags: readonly string[]): Language {
  return tags.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'
}

/** The text of a name, undefined without one; `{name}` in it is replaced by that value, and `count` chooses the form. */
export function textIn(
  texts: Texts,
  language: Language,
  name: string,
  values: Values = {},
): string | undefined {
  const { count } = values
  const form = typeof count === 'number' ? new Intl.PluralRules(language).select(count) : 'other'
  const text = texts[name] ?? texts[`${name}_${form}`] ?? texts[`${name}_other`]
  return text?.replace(/\{(\w+)\}/g, (whole, blank: string) => {
    const given = values[blank]
    if (given === undefined) return whole
    return typeof given === 'number' ? numberIn(language, given) : given
  })
}

const formats = new Map<Language, Intl.NumberFormat>()

/** A number in the language's format. */
export function numberIn(language: Language, value: number): string {
  const format = formats.get(language) ?? new Intl.NumberFormat(language)
  formats.set(language, format)
  return format.format(value)
}
