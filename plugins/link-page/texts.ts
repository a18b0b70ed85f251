import { LANGUAGES, type Language, languageOf, textIn, type Values } from '../dashboard/web/i18n.ts'
import deDocument from './text/de/document.json' with { type: 'json' }
import deLinking from './text/de/linking.json' with { type: 'json' }
import enDocument from './text/en/document.json' with { type: 'json' }
import enLinking from './text/en/linking.json' with { type: 'json' }
import esDocument from './text/es/document.json' with { type: 'json' }
import esLinking from './text/es/linking.json' with { type: 'json' }
import idDocument from './text/id/document.json' with { type: 'json' }
import idLinking from './text/id/linking.json' with { type: 'json' }
import ptDocument from './text/pt/document.json' with { type: 'json' }
import ptLinking from './text/pt/linking.json' with { type: 'json' }

export { LANGUAGES, type Language, languageOf }

interface PageTexts {
  /** The texts of the documents. */
  readonly document: typeof enDocument
  /** The texts of the page on which the account is linked. */
  readonly linking: typeof enLinking
}

export const TEXTS: Readonly<Record<Language, PageTexts>> = {
  en: { document: enDocument, linking: enLinking },
  pt: { document: ptDocument, linking: ptLinking },
  es: { document: esDocument, linking: esLinking },
  de: { document: deDocument, linking: deLinking },
  id: { document: idDocument, linking: idLinking },
}

/** A text of the documents with its blanks filled in. */
export function textOf(language: Language, name: keyof typeof enDocument, values: Values): string {
  return textIn(TEXTS[language].document, language, name, values) ?? name
}

/** `de-AT, en;q=0.5` → `de-AT`, `en` */
export function preferencesIn(header: string): string[] {
  return header
    .split(',')
    .slice(0, 20)
    .map((part) => {
      const [tag = '', quality = ''] = part.trim().split(';')
      return { tag, weight: Number(/q=([\d.]+)/.exec(quality)?.[1] ?? 1) }
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}
