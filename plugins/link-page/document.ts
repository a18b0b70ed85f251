import { type Reply, reply } from 'wamux/plugin'
import { type Html, html } from './html.ts'
import { ICONS } from './icons.ts'
import { LANGUAGES, type Language, TEXTS } from './texts.ts'

export interface DocumentParts {
  readonly language: Language
  /** Above the card; the product's mark when absent. */
  readonly serviceName: string
  readonly body: Html
  /** Whether it has the script of the page. */
  readonly isLive?: boolean
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** The page loads only its own files, talks only to this gateway, and contains no inline script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A document in one language. Its addresses are relative, so it also works under a proxy's path. */
export function documentOf(parts: DocumentParts): Reply {
  const { language, serviceName, body, isLive = false, status = 200, headers = {} } = parts
  const { document: page } = TEXTS[language]
  const script = html`<script type="module" src="../link-page/link-page.js"></script>`
  const { html: text } = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${serviceName ? `${page.title} · ${serviceName}` : page.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../link-page/link-page.css">
${isLive ? script : ''}
</head>
<body>
<div class="${isLive ? 'frame wide' : 'frame'}">
${serviceName ? html`<p class="service">${serviceName}</p>` : ''}
<main class="card">
${body}
</main>
<footer>
<p>${page.safety}</p>
<p>${page.notAffiliated}</p>
<nav aria-label="${page.languages}"><ul class="languages">${languages(language)}</ul></nav>
</footer>
</div>
</body>
</html>
`
  return reply(
    text,
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      'Content-Security-Policy': POLICY,
      'X-Robots-Tag': 'noindex, nofollow',
      ...headers,
    },
    status,
  )
}

function languages(current: Language): Html[] {
  return Object.entries(LANGUAGES).map(([code, name]) =>
    code === current
      ? html`<li><span aria-current="true" lang="${code}">${name}</span></li>`
      : html`<li><a href="?lang=${code}" hreflang="${code}" lang="${code}">${name}</a></li>`,
  )
}

/** The drawing above a heading. */
export function icon(name: keyof typeof ICONS): Html {
  return html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
}
