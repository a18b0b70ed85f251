import { errorTable, gatewayError } from 'wamux/plugin'
import { textPage } from './text-page.ts'

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
