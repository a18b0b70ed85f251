import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const WORDS = [
  ...['JIDs?', 'LIDs?', 'WhatsApp', 'Baileys', 'stanzas?', 'phones?', 'QR', 'businesses', 'business'],
  ...['chats?', 'groups?', 'communit(?:y|ies)', 'newsletters?', 'contacts?', 'broadcasts?', 'labels?'],
  ...[
    'message ids?',
    'ids? of messages?',
    'captions?',
    'stickers?',
    'reactions?',
    'catalog(?:ue)?s?',
    ...['ratchets?', 'receipts?', 'participants?', 'presences?', 'polls?', 'followers?'],
  ],
]

/** What can't be said without a word of the domain, and why. */
const ALLOWED: readonly [word: RegExp, files: RegExp, why: string][] = [
  [
    /^(jid|lid|phone|qr)$/,
    /^(types\/(driver|session|events)|sessions\/[\w-]+|http\/auth)\.ts$/,
    'a session is linked to an account: the contract names it, and how it is linked',
  ],
  [/^business$/, /^(types\/(driver|events)|sessions\/client)\.ts$/, 'businessName of the linked account'],
  [
    /^stanza$/,
    /^(types\/(driver|session)|sessions\/(view|client|session-row))\.ts$/,
    'lastStanzaAt of the port of drivers',
  ],
  [/^chat$/, /^(types\/events|events\/(event-row|log))\.ts$/, 'the order of events is that of a chat'],
  [/^phone$/, /^validate\/ajv\.ts$/, 'a format of text for which a number may stand'],
  [/^labels$/, /^types\/observe\.ts$/, 'of a sample, as metrics call them'],
  [
    /^labels$/,
    /^(types\/session|sessions\/(store|session-row|view))\.ts$/,
    'names and values that an operator gives a session',
  ],
  [/^groups?$/, /^events\/log\.ts$/, 'of rows, in SQL'],
  [
    /^label$/,
    /^(db\/\w+|db\/[\w-]+|gateway|wiring\/prepare)\.ts$/,
    'what an operator knows a database or plugin by',
  ],
]

describe('the kernel', () => {
  const files = readdirSync('kernel', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const used = new Set<string>()

  /** Words of the domain in a file, those in the middle of names too. */
  function wordsIn(file: string): string[] {
    const text = readFileSync(`kernel/${file}`, 'utf8')
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
    const found = text.match(new RegExp(`\\b(?:${WORDS.join('|')})\\b`, 'gi')) ?? []
    return [...new Set(found.map((word) => word.toLowerCase()))]
  }

  it('has no word of the messaging domain but those that it needs', () => {
    expect(files.length).to.be.greaterThan(40)
    const stray = files.flatMap((file) =>
      wordsIn(file).flatMap((word) => {
        const allowed = ALLOWED.find(([words, places]) => words.test(word) && places.test(file))
        if (allowed) used.add(allowed[2])
        return allowed ? [] : [`${file}: ${word}`]
      }),
    )
    expect(stray).to.deep.equal([])
  })

  it('needs every exception', () => {
    expect(ALLOWED.map(([, , why]) => why)).to.have.members([...used])
  })
})
