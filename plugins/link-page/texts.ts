import { de } from './languages/de.ts'
import { en, type Texts } from './languages/en.ts'
import { es } from './languages/es.ts'
import { id } from './languages/id.ts'
import { pt } from './languages/pt.ts'

export const LANGUAGES = { en, pt, es, de, id } satisfies Record<string, Texts>

export type Language = keyof typeof LANGUAGES

export function isLanguage(name: string): name is Language {
  return Object.hasOwn(LANGUAGES, name)
}

/**
 * The first known language of those given, in the order of preference: a choice of the reader, the link's, those that the
 * browser asks for (`Accept-Language`), the operator's.
 */
export function languageOf(chosen: string, link: string, accepted: string, fallback: string): Language {
  return [chosen, link, ...preferences(accepted), fallback].find(isLanguage) ?? 'en'
}

/** `de-AT, en;q=0.5` → `de`, `en` */
function preferences(header: string): string[] {
  return header
    .split(',')
    .slice(0, 20)
    .map((part) => {
      const [tag = '', quality = ''] = part.trim().split(';')
      return { name: tag.slice(0, 2).toLowerCase(), weight: Number(/q=([\d.]+)/.exec(quality)?.[1] ?? 1) }
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ name }) => name)
}

/** Fills in `{name}`. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all))
}
