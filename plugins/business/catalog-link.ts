import { gatewayError } from 'wamux/plugin'

const LINK = /^(?:https?:\/\/)?(?:www\.)?wa\.me\/c\/(\d{5,15})\/?$/i

/** A text that contains a link to a catalogue: phones show a preview only for links in the text. */
export function catalogLink(
  ownJid: string,
  text: string,
  given: string | undefined,
): { text: string; matchedText: string } {
  const number = given ? LINK.exec(given)?.[1] : ownJid.split('@')[0]
  if (!number) throw gatewayError('FIELD_INVALID', ['MatchedText', 'must look like wa.me/c/<number>'])
  if (given && text.includes(given)) return { text, matchedText: given }
  const link = `https://wa.me/c/${number}`
  return { text: text.includes(link) ? text : `${text}\n${link}`, matchedText: link }
}
