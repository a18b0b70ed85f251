import { errorTable, gatewayError } from 'wamux/plugin'

/** Where the page of an error is. */
export function addressOf(code: string): string {
  return `/docs/errors/${code}`
}

/** The address of an error that has a page; errors of plugins without help have none. */
export function helpOf(code: string): string | undefined {
  return errorTable().get(code)?.[2] ? addressOf(code) : undefined
}

/** The list of all errors, those of the start included. */
export function errorList(): string {
  const rows = [...errorTable()]
    .sort(([a, [one]], [b, [other]]) => one - other || (a < b ? -1 : 1))
    .map(([code, [status, text, help]]) => {
      const name = help ? `<a href="${addressOf(code)}"><code>${code}</code></a>` : `<code>${code}</code>`
      return `<tr><td>${status}</td><td>${name}</td><td>${formatted(help?.meaning ?? text)}</td></tr>`
    })
  return textPage(
    'Errors',
    `<h1>Errors</h1>
<p>The <code>errorCode</code> of an answer. 4xx means that nothing was sent; after 5xx something may have been.</p>
<table>
<tr><th>Status</th><th>Code</th><th>Meaning</th></tr>
${rows.join('\n')}
</table>`,
  )
}

/** The page of one error. Throws ROUTE_UNKNOWN for a code that has none. */
export function errorPage(code: string): string {
  const row = errorTable().get(code)
  if (!row?.[2]) throw gatewayError('ROUTE_UNKNOWN')
  const [status, text, { meaning, cause, remedy }] = row
  return textPage(
    code,
    `<h1>${code}</h1>
<p>${formatted(meaning)}</p>
<dl>
<dt>HTTP status</dt><dd>${status}${ofStatus(status, code)}</dd>
<dt>Text</dt><dd><code>${escaped(text).replaceAll('%s', '…')}</code></dd>
<dt>Cause</dt><dd>${formatted(cause)}</dd>
<dt>What to do</dt><dd>${formatted(remedy)}</dd>
</dl>`,
  )
}

/** What the status says of a send. */
export function ofStatus(status: number, code: string): string {
  if (status === 500 && code !== 'INTERNAL') return ': shown when the gateway starts, never as an answer'
  return status < 500 ? ': nothing was sent' : ''
}

function formatted(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
/** A page of text in the style of `/docs`, light or dark as the browser prefers; it loads nothing. */
function textPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · wamux</title>
<link rel="icon" href="data:,">
<style>
body { max-width: 760px; margin: 0 auto; padding: 20px; font: 16px/1.6 sans-serif; overflow-wrap: break-word; }
h1 { font-size: 28px; line-height: 1.2; }
a { color: light-dark(#0a6b4d, #5fd0a5); }
code { font-size: 14px; background: light-dark(#f1f3f2, #2a2d2c); border-radius: 4px; padding: 1px 4px; }
a code { color: inherit; }
dt { font-weight: bold; margin-top: 16px; }
dd { margin: 4px 0 0; }
table { border-collapse: collapse; font-size: 14px; }
th, td { border: 1px solid light-dark(#ccc, #444); padding: 4px 8px; text-align: left; vertical-align: top; }
@media (max-width: 600px) { th:first-child, td:first-child { display: none; } td code { font-size: 11px; } }
</style>
</head>
<body>
<nav><a href="/docs">Interface</a> · <a href="/docs/errors">Errors</a></nav>
<main>
${body}
</main>
</body>
</html>
`
}
