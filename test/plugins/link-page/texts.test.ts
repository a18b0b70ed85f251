import { expect } from 'chai'
import { textIn } from '../../../plugins/dashboard/web/i18n.ts'
import { LANGUAGES, languageOf, preferencesIn, TEXTS } from '../../../plugins/link-page/texts.ts'

/** `document.title` → its text, of every text. */
function entriesOf(texts: (typeof TEXTS)['en']): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([part, all]) =>
      Object.entries<string>(all).map(([key, text]): [string, string] => [`${part}.${key}`, text]),
    ),
  )
}

/** The same words in another language. */
const SHARED = ['linking.byQr', 'linking.passkeyScript']

const blanksOf = (text = ''): string[] => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort()

describe('the texts of the link page', () => {
  const english = entriesOf(TEXTS.en)

  for (const [code, texts] of Object.entries(TEXTS)) {
    const entries = entriesOf(texts)

    it(`${code}: has every text, and no other`, () => {
      expect(english.size).to.be.greaterThan(100)
      expect([...entries.keys()]).to.have.members([...english.keys()])
      const empty = [...entries].filter(([, text]) => text.trim() === '').map(([key]) => key)
      expect(empty).to.deep.equal([])
    })

    it(`${code}: has the same blanks to be filled in`, () => {
      for (const [key, text] of english) expect(blanksOf(entries.get(key)), key).to.deep.equal(blanksOf(text))
    })

    if (code !== 'en')
      it(`${code}: is translated`, () => {
        const equal = [...english].filter(([key, text]) => entries.get(key) === text).map(([key]) => key)
        expect(equal.filter((key) => !SHARED.includes(key))).to.deep.equal([])
      })
  }

  it('are in every language that pages have', () => {
    expect(Object.keys(TEXTS)).to.have.members(Object.keys(LANGUAGES))
  })

  it('are in the language that the reader chose, the link names, the browser prefers, or the operator set', () => {
    expect(languageOf(['de', 'pt', 'es', 'id'])).to.equal('de')
    expect(languageOf(['xx', 'pt', 'es', 'id'])).to.equal('pt')
    const preferred = preferencesIn('fr-FR, de-AT;q=0.5, es-MX;q=0.8')
    expect(preferred).to.deep.equal(['fr-FR', 'es-MX', 'de-AT'])
    expect(languageOf(['', '', ...preferred, 'id'])).to.equal('es')
    expect(languageOf(['', '', ...preferencesIn('fr'), 'id'])).to.equal('id')
    expect(languageOf(['', '', ...preferencesIn(''), 'constructor'])).to.equal('en')
  })

  it('leave a blank without a value as it is', () => {
    expect(textIn({ both: '{a} and {b}' }, 'en', 'both', { a: 1 })).to.equal('1 and {b}')
  })
})
