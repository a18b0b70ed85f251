import { type Language, type NameIn, textIn, type Values } from '../../dashboard/web/i18n.ts'
import type linking from '../text/en/linking.json'

export type TextName = NameIn<typeof linking>

/** The document holds the texts, in its language. */
const { texts: json = '{}', extension = '' } = document.getElementById('app')?.dataset ?? {}
const texts: Record<string, string> = JSON.parse(json)

export const extensionId = extension

/** The text in the language of the page, with its blanks filled in. */
export function t(name: TextName, values: Values = {}): string {
  return textFor(name, values) ?? name
}

/** The text for a name computed at run time; undefined if there is none. */
export function textFor(name: string, values: Values = {}): string | undefined {
  return textIn(texts, document.documentElement.lang as Language, name, values)
}
