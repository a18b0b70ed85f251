import type { Reply } from 'wamux/plugin'
import { documentOf, icon } from './document.ts'
import { html } from './html.ts'
import { type Language, TEXTS, textOf } from './texts.ts'

export interface PageParts {
  readonly language: Language
  readonly serviceName: string
}

interface StartParts extends PageParts {
  /** Minutes of validity of the link. */
  readonly minutes: number
  readonly cookie: string
}

/**
 * The page of an unused link. A button uses it, not opening it: messengers and mail filters open every link that they pass
 * on.
 */
export function startPage({ language, serviceName, minutes, cookie }: StartParts): Reply {
  const { document, linking } = TEXTS[language]
  const invitation = serviceName ? textOf(language, 'invitedBy', { service: serviceName }) : document.invited
  const body = html`
${icon('link')}
<h1>${linking.heading}</h1>
<p class="lead">${invitation}</p>
<ul class="facts">
<li>${document.startNeed}</li>
<li>${document.startAccess}</li>
<li>${textOf(language, 'startOnce', { minutes })}</li>
</ul>
<form method="post" action="?lang=${language}"><button class="button button-primary">${document.start}</button></form>`
  return documentOf({ language, serviceName, body, headers: { 'Set-Cookie': cookie } })
}

/** The page on which the account is linked: its script renders it with the texts in the document. */
export function linkPage({ language, serviceName, extensionId }: PageParts & { extensionId: string }): Reply {
  const { document, linking } = TEXTS[language]
  const body = html`
<noscript><p class="lead">${document.noScript}</p></noscript>
<div id="app" data-texts="${JSON.stringify(linking)}" data-extension="${extensionId}"></div>`
  return documentOf({ language, serviceName, body, isLive: true })
}

export type EndKind = 'unknown' | 'used' | 'expired' | 'revoked' | 'cookies'

const STATUS: Readonly<Record<EndKind, number>> = {
  unknown: 404,
  used: 410,
  expired: 410,
  revoked: 410,
  cookies: 400,
}

/** Why a link can't be used. */
export function endPage(kind: EndKind, { language, serviceName }: PageParts): Reply {
  // Some of these texts also appear on the page on which the account is linked.
  const texts = { ...TEXTS[language].linking, ...TEXTS[language].document }
  const body = html`
${icon('stop')}
<h1>${texts[`${kind}Heading`]}</h1>
<p class="lead">${texts[kind]}</p>`
  return documentOf({ language, serviceName, body, status: STATUS[kind] })
}

/**
 * Loads the same address again. A browser does not send a SameSite=Strict cookie when a mail or another site opens the page,
 * but does when the page reloads itself.
 */
export function momentPage({ language, serviceName }: PageParts): Reply {
  const body = html`<p class="lead" role="status">${TEXTS[language].document.moment}</p>`
  return documentOf({ language, serviceName, body, headers: { Refresh: '0' } })
}
