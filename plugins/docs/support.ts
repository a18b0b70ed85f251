type Shown = 'yes' | 'partly' | 'no' | 'unknown'

interface Support {
  /** Endpoints below `/send/`. */
  sends: readonly string[]
  android: Shown
  ios: Shown
  web: Shown
  note: string
  /** Source of the report. */
  sources: readonly string[]
}

/** Date of the last review of the reports. */
export const SUPPORT_DATE = '2026-11-21'

/**
 * The messages that WhatsApp's own apps show. A send answered with 200 was accepted by the network, but not every app shows
 * buttons, lists and the like. The table lists reports of others, not measurements.
 */
export const SUPPORT: readonly Support[] = [
  {
    sends: [
      'text',
      'image',
      'audio',
      'video',
      'document',
      'sticker',
      'location',
      'contact',
      'contacts',
      'poll',
      'event',
      'album',
      'mediaurl',
    ],
    android: 'yes',
    ios: 'yes',
    web: 'yes',
    note: 'ordinary messages',
    sources: [],
  },
  {
    sends: ['preview', 'preview2', 'groupinvite'],
    android: 'yes',
    ios: 'yes',
    web: 'yes',
    note: 'ordinary texts with a link preview',
    sources: [],
  },
  {
    sends: ['buttons'],
    android: 'yes',
    ios: 'partly',
    web: 'partly',
    note: 'some iPhones keep waiting for the message; some versions of Web say that it could not be loaded',
    sources: [
      'tulir/whatsmeow#1235',
      'oxidezap/baileyrs#7',
      'atex-ovi/atexovi-baileys#5',
      'evolution-foundation/evolution-api#2526',
      'itsliaaa/baileys#13',
    ],
  },
  {
    sends: ['template'],
    android: 'yes',
    ios: 'yes',
    web: 'partly',
    note: 'Web may say that it could not be loaded if answers and other buttons are mixed',
    sources: ['oxidezap/whatsapp-rust#628', 'itsliaaa/baileys#13', 'itsliaaa/baileys#25'],
  },
  {
    sends: ['mediabutton'],
    android: 'yes',
    ios: 'partly',
    web: 'partly',
    note: 'on iPhones answers are shown, other buttons below a file often not, or the message does not arrive',
    sources: ['itsliaaa/baileys#25', 'shizo-devs/baileys#35'],
  },
  {
    sends: ['list'],
    android: 'yes',
    ios: 'yes',
    web: 'partly',
    note: 'Web shows it in some versions only',
    sources: ['oxidezap/whatsapp-rust#628', 'itsliaaa/baileys#25', 'Itsukichann/Baileys#50'],
  },
  {
    sends: ['locationbutton'],
    android: 'yes',
    ios: 'unknown',
    web: 'unknown',
    note: '',
    sources: ['oxidezap/baileyrs#7', 'oxidezap/whatsapp-rust#628'],
  },
  {
    sends: ['pixbutton', 'reviewpay'],
    android: 'yes',
    ios: 'unknown',
    web: 'partly',
    note: 'for accounts in Brazil; the sender itself may not see it on Web',
    sources: ['oxidezap/baileyrs#7', 'vinikjkkj/zapo#228', 'Itsukichann/Baileys#50'],
  },
  {
    sends: ['carousel'],
    android: 'yes',
    ios: 'yes',
    web: 'yes',
    note: '',
    sources: ['itsliaaa/baileys#25', 'evolution-foundation/evolution-api#2526'],
  },
  {
    sends: ['carouselmedia'],
    android: 'yes',
    ios: 'no',
    web: 'partly',
    note: 'reports on Web differ; iPhones show cards without a picture only',
    sources: ['itsliaaa/baileys#25', 'evolution-foundation/evolution-api#2526'],
  },
]

const HEADS = ['POST /send/…', 'Android', 'iOS', 'Web, Desktop', 'Note', 'Reported in']

export function supportMarkdown(): string {
  const lines = [HEADS, HEADS.map(() => '---'), ...SUPPORT.map(cells)]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

export function supportHtml(): string {
  const row = (tag: string, line: readonly string[]): string =>
    `<tr>${line.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table>\n${[row('th', HEADS), ...SUPPORT.map((line) => row('td', cells(line)))].join('\n')}\n</table>`
}

function cells({ sends, android, ios, web, note, sources }: Support): string[] {
  return [sends.join(', '), android, ios, web, note, sources.join(', ')]
}
