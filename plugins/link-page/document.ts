import { type Reply, reply } from 'wamux/plugin'
import { type Html, html } from './html.ts'
import type { Texts } from './languages/en.ts'
import { LANGUAGES, type Language } from './texts.ts'

export interface DocumentParts {
  readonly language: Language
  readonly texts: Texts
  /** Above the card; the product's mark when absent. */
  readonly serviceName: string
  readonly body: Html
  /** With the script of the page. */
  readonly isLive?: boolean
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** The page loads its own files and speaks with this gateway alone; no script stands in it. */
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

/** A document in one language. Its addresses are relative, so that it also works below a path of a proxy. */
export function documentOf(parts: DocumentParts): Reply {
  const { language, texts, serviceName, body, isLive = false, status = 200, headers = {} } = parts
  const { page } = texts
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
  return Object.entries(LANGUAGES).map(([code, { page }]) =>
    code === current
      ? html`<li><span aria-current="true" lang="${code}">${page.language}</span></li>`
      : html`<li><a href="?lang=${code}" hreflang="${code}" lang="${code}">${page.language}</a></li>`,
  )
}

/** The drawing above a heading. */
export function icon(name: 'link' | 'key' | 'done' | 'stop'): Html {
  return html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${ICONS[name]}</svg>`
}

const ICONS = {
  link: html`<rect x="7" y="2.5" width="10" height="19" rx="2.4"/><path d="M11 18.5h2"/><path d="m9.8 10.6 1.7 1.7 3-3.2"/>`,
  key: html`<circle cx="8.5" cy="8.5" r="4.5"/><path d="m11.8 11.8 8.2 8.2M16.5 16.5l2-2M19 19l1.6-1.6"/>`,
  done: html`<circle cx="12" cy="12" r="9.5"/><path d="m7.6 12.4 3 3 5.8-6.4"/>`,
  stop: html`<circle cx="12" cy="12" r="9.5"/><path d="M12 7v6.2M12 16.6v.2"/>`,
}
