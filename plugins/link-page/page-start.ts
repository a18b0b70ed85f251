import type { Reply } from 'wamux/plugin'
import { documentOf, icon } from './document.ts'
import { html } from './html.ts'
import { fill, LANGUAGES, type Language } from './texts.ts'

export interface PageParts {
  readonly language: Language
  readonly serviceName: string
}

export interface StartParts extends PageParts {
  /** Minutes for which the link is valid. */
  readonly minutes: number
  readonly cookie: string
}

/**
 * What a link shows before it is used. It is used by a button, not by opening it: messengers and mail filters open each
 * link that they pass on.
 */
export function startPage({ language, serviceName, minutes, cookie }: StartParts): Reply {
  const texts = LANGUAGES[language]
  const { page } = texts
  const invitation = serviceName ? fill(page.invitedBy, { service: serviceName }) : page.invited
  const body = html`
${icon('link')}
<h1>${page.heading}</h1>
<p class="lead">${invitation}</p>
<ul class="facts">
<li>${page.startNeed}</li>
<li>${page.startAccess}</li>
<li>${fill(page.startOnce, { minutes })}</li>
</ul>
<form method="post" action="?lang=${language}"><button class="primary">${page.start}</button></form>`
  return documentOf({ language, texts, serviceName, body, headers: { 'Set-Cookie': cookie } })
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
  const texts = LANGUAGES[language]
  const body = html`
${icon('stop')}
<h1>${texts.page[`${kind}Heading`]}</h1>
<p class="lead">${texts.page[kind]}</p>`
  return documentOf({ language, texts, serviceName, body, status: STATUS[kind] })
}

/**
 * Loads the same address again. A browser does not send a SameSite=Strict cookie when a link in a mail or another site
 * opens the page, but does when the page itself does.
 */
export function momentPage({ language, serviceName }: PageParts): Reply {
  const texts = LANGUAGES[language]
  const body = html`<p class="lead" role="status">${texts.page.moment}</p>`
  return documentOf({ language, texts, serviceName, body, headers: { Refresh: '0' } })
}
